# Reads a timeline with OpenTimelineIO and prints where every clip lies, as lines of JSON.
import json
import sys

import opentimelineio as otio

path, rate = sys.argv[1], float(sys.argv[2])
options = {"rate": rate} if path.endswith(".edl") else {}
read = otio.adapters.read_from_file(path, **options)
timeline = read[0] if isinstance(read, otio.schema.SerializableCollection) else read
for track in timeline.tracks:
    for clip in track:
        if not isinstance(clip, otio.schema.Clip):
            continue
        place = clip.range_in_parent()
        print(json.dumps({
            "kind": track.kind,
            "name": clip.name,
            "start": place.start_time.to_seconds() if hasattr(place.start_time, "to_seconds")
            else otio.opentime.to_seconds(place.start_time),
            "end": otio.opentime.to_seconds(place.end_time_exclusive()),
            "url": getattr(clip.media_reference, "target_url", None),
        }))
