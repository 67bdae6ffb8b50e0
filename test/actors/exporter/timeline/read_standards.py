# Reads timelines as their formats define them, with nothing but Python's own library and exact fractions, and prints
# where every clip and every marker of each lies. A line of standard input is a JSON list: the file, and for an EDL, which
# has no rates, frames per second as a fraction and the timecode that the sequence begins with. A line of standard output
# is the JSON list for one file. Ends with an error where a file breaks a rule of its format.
import json
import re
import sys
from fractions import Fraction
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree


def frame_of(text, rate):
    """The number of the frame that SMPTE ST 12-1 gives this timecode."""
    hours, minutes, seconds, frame = (int(part) for part in re.split("[:;]", text))
    count = round(rate)
    assert minutes < 60 and seconds < 60 and frame < count, f"{text} at {count}"
    number = ((hours * 60 + minutes) * 60 + seconds) * count + frame
    if ";" in text:
        dropped = count // 15
        assert count % 30 == 0 and rate.denominator == 1001, f"{text} drops frames at {rate}"
        assert minutes % 10 == 0 or seconds > 0 or frame >= dropped, f"{text} does not exist"
        number -= dropped * (hours * 60 + minutes - (hours * 60 + minutes) // 10)
    return number


def path_of(url):
    parts = urlsplit(url)
    assert parts.scheme == "file" and not parts.query and not parts.fragment, url
    assert re.fullmatch(r"[\x21-\x7e]*", url), url
    return unquote(parts.path, errors="strict")


shown = []


def show(kind, name, start, end, source, length, path):
    fields = {"kind": kind, "name": name, "start": start, "end": end, "from": source, "length": length}
    shown.append({key: str(value) if isinstance(value, Fraction) else value for key, value in fields.items()}
                 | {"path": path})


def show_marker(name, start, end=None):
    show("marker", name, start, end, None, None, None)


def xmeml(path):
    root = ElementTree.parse(path).getroot()
    assert root.tag == "xmeml" and root.get("version") == "4"
    sequence, files = root.find("sequence"), {}

    def rate_of(element):
        base, ntsc = int(element.findtext("rate/timebase")), element.findtext("rate/ntsc")
        return Fraction(base * 1000, 1001) if {"TRUE": True, "FALSE": False}[ntsc] else Fraction(base)

    def expect_timecode(code):
        rate, text = rate_of(code), code.findtext("string")
        assert (";" in text) == (code.findtext("displayformat") == "DF"), text
        assert frame_of(text, rate) == int(code.findtext("frame")), text

    rate, ids, last = rate_of(sequence), set(), 0
    expect_timecode(sequence.find("timecode"))
    picture = sequence.find("media/video/format/samplecharacteristics")
    assert rate_of(picture) == rate and int(picture.findtext("width")) > 0
    for kind in ("video", "audio"):
        tracks = sequence.findall(f"media/{kind}/track")
        for place, track in enumerate(tracks):
            before = 0
            for item in track.findall("clipitem"):
                assert item.get("id") not in ids
                ids.add(item.get("id"))
                file = item.find("file")
                if file.find("pathurl") is None:
                    assert len(file) == 0
                    file = files[file.get("id")]
                else:
                    assert files.setdefault(file.get("id"), file) is file, "described twice"
                    expect_timecode(file.find("timecode"))
                own = rate_of(item)
                assert own == rate_of(file) and item.findtext("sourcetrack/mediatype") == kind
                start, end, first, out = (int(item.findtext(name)) for name in ("start", "end", "in", "out"))
                assert before <= start < end and 0 <= first < out <= int(item.findtext("duration"))
                before, last = end, max(last, end)
                if int(track.get("currentExplodedTrackIndex", 0)) == 0:
                    show(kind, item.findtext("name"), start / rate, end / rate, first / own, (out - first) / own,
                         path_of(file.findtext("pathurl")))
        for link in (link for track in tracks for link in track.iter("link")):
            items = tracks[int(link.findtext("trackindex")) - 1].findall("clipitem")
            assert items[int(link.findtext("clipindex")) - 1].get("id") == link.findtext("linkclipref")
    assert int(sequence.findtext("duration")) == last
    for marker in sequence.findall("marker"):
        first, out = int(marker.findtext("in")), int(marker.findtext("out"))
        assert 0 <= first < out <= last and marker.findtext("name")
        show_marker(marker.findtext("name"), first / rate, out / rate)


def fcpxml(path):
    root = ElementTree.parse(path).getroot()
    assert root.tag == "fcpxml" and root.get("version") == "1.8"
    resources = {one.get("id"): one for one in root.find("resources")}
    assert len(resources) == len(root.find("resources"))
    sequence = root.find("library/event/project/sequence")

    def seconds(element, name):
        text = re.fullmatch(r"(\d+)(?:/(\d+))?s", element.get(name))
        assert text and int(text[2] or 1) < 2 ** 31, element.get(name)
        return Fraction(int(text[1]), int(text[2] or 1))

    frame = seconds(resources[sequence.get("format")], "frameDuration")
    zero = seconds(sequence, "tcStart")

    def walk(element, at):
        """`at`: of its beginning, from that of the sequence."""
        length, own = seconds(element, "duration"), seconds(element, "start")
        assert at % frame == 0 and length % frame == 0 and length > 0, "not on a frame of the sequence"
        if element.tag != "gap":
            asset = resources[element.get("ref")]
            kind = "audio" if int(element.get("lane", 0)) < 0 else "video"
            still = element.tag == "video"
            assert still or (element.get("srcEnable") == kind and asset.get("has" + kind.title()) == "1")
            if not still and kind == "video":
                step = seconds(resources[asset.get("format")], "frameDuration")
                assert (own - seconds(asset, "start")) % step == 0, "not on a frame of its source"
            show(kind, element.get("name"), at, at + length, own - seconds(asset, "start"), None, path_of(asset.get("src")))
        order = [{"conform-rate": 0, "asset-clip": 1, "video": 1, "chapter-marker": 2}[child.tag] for child in element]
        assert order == sorted(order), "not in the order of the format"
        for marker in element.findall("chapter-marker"):
            place = at + seconds(marker, "start") - own
            assert at <= place < at + length and place % frame == 0 and seconds(marker, "duration") == frame
            assert element.tag != "gap"
            show_marker(marker.get("value"), place)
        for child in element:
            if child.tag in ("asset-clip", "video"):
                assert element.get("lane") is None and child.get("lane") is not None
                walk(child, at + seconds(child, "offset") - own)
        return at + length

    end = Fraction(0)
    for element in sequence.find("spine"):
        assert seconds(element, "offset") - zero == end, "the spine has a hole"
        end = walk(element, end)
    assert end == seconds(sequence, "duration")


def otio(path):
    with open(path, encoding="utf-8") as file:
        timeline = json.load(file)
    assert timeline["OTIO_SCHEMA"] == "Timeline.1" and timeline["tracks"]["OTIO_SCHEMA"] == "Stack.1"

    def seconds(time):
        count = round(time["rate"])
        ntsc = Fraction(count * 1000, 1001)
        rate = ntsc if time["rate"] == float(ntsc) else Fraction(count)
        assert time["OTIO_SCHEMA"] == "RationalTime.1" and time["rate"] == float(rate)
        assert isinstance(time["value"], int)
        return time["value"] / rate

    for marker in timeline["tracks"]["markers"]:
        assert marker["OTIO_SCHEMA"] == "Marker.2" and marker["marked_range"]["OTIO_SCHEMA"] == "TimeRange.1"
        start, length = (seconds(marker["marked_range"][name]) for name in ("start_time", "duration"))
        assert length > 0
        show_marker(marker["name"], start, start + length)
    for track in timeline["tracks"]["children"]:
        at = Fraction(0)
        for child in track["children"]:
            length = seconds(child["source_range"]["duration"])
            assert length > 0
            if child["OTIO_SCHEMA"] == "Clip.2":
                media = child["media_references"][child["active_media_reference_key"]]
                available = media["available_range"]
                source = seconds(child["source_range"]["start_time"]) - seconds(available["start_time"])
                assert 0 <= source < seconds(available["duration"])
                show(track["kind"].lower(), child["name"], at, at + length, source, None, path_of(media["target_url"]))
            else:
                assert child["OTIO_SCHEMA"] == "Gap.1"
            at += length


def edl(path, fps, zero):
    rate = Fraction(fps)
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().split("\n")
    assert lines[0].startswith("TITLE: ") and len(lines[0]) <= 77
    assert lines[1] == ("FCM: DROP FRAME" if ";" in zero else "FCM: NON-DROP FRAME")
    event = re.compile(r"(\d{3})  ([A-Z0-9 ]{8}) (V|A|A2|AA) +C {8}(\S{11}) (\S{11}) (\S{11}) (\S{11})")
    events, before = [], 0
    for line in lines[2:]:
        if found := event.fullmatch(line):
            events.append([found, None, None, []])
        elif line.startswith("M2 "):
            events[-1][1] = Fraction(line.split()[2])
        elif line.startswith("* FROM CLIP NAME: "):
            events[-1][2] = line[18:]
        elif located := re.fullmatch(r"\* LOC: (\d\d[:;]\d\d[:;]\d\d[:;]\d\d) (\w+) +(\S.*)", line):
            events[-1][3].append(located)
        else:
            assert line == "" or line.startswith("* "), line
    for number, (found, speed, name, located) in enumerate(events, 1):
        assert int(found[1]) == number and name and len(name) <= 32
        start, end = (frame_of(found[i], rate) - frame_of(zero, rate) for i in (6, 7))
        # Of a source that is slower: as many numbers a second.
        own = rate if ";" not in found[4] else Fraction(round(rate) * 1000, 1001)
        first, last = (frame_of(found[i], own) for i in (4, 5))
        assert before <= start < end and (last - first == end - start or speed), found[0]
        if speed:
            assert abs((last - first) / speed - (end - start) / rate) < 1 / rate, found[0]
        before = start
        kind = "video" if found[3] == "V" else "audio"
        show(kind, name, start / rate, end / rate, None, None, None)
        for one in located:
            place = frame_of(one[1], rate) - frame_of(zero, rate)
            assert start <= place < end, one[0]
            show_marker(one[3], place / rate)


readers = {"xml": xmeml, "fcpxml": fcpxml, "otio": otio, "edl": edl}
for line in sys.stdin:
    asked = json.loads(line)
    print("reading", asked[0], file=sys.stderr)
    shown.clear()
    readers[asked[0].rsplit(".", 1)[1]](*asked)
    print(json.dumps(shown))
