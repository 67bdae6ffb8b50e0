"""Makes the media of the self-test: drawn faces, and two voices of eSpeak NG 1.51.

Needs numpy, Pillow, espeak-ng and ffmpeg: python3 make.py
"""
import os
import subprocess
import tempfile

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

MEDIA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../actors/self-test/media')

PEOPLE = [
    dict(skin=(224, 172, 140), hair=(60, 40, 25), iris=(70, 50, 30)),
    dict(skin=(150, 102, 74), hair=(20, 16, 14), wide=1.1, mouth=1.25, nose=1.3, brow=1.4, eye=1.05),
    dict(skin=(240, 205, 185), hair=(200, 170, 90), iris=(70, 110, 160), wide=0.9, mouth=0.85, nose=0.8, brow=0.7,
         eye=0.95),
]
# Each person twice: side of the picture, shift of the head, background.
LOOKS = [(320, 0.0, (120, 140, 160)), (240, 0.02, (200, 190, 170))]


def scaled(color, by):
    return tuple(min(255, int(value * by)) for value in color)


def face(size, shift, ground, skin, hair, iris=(70, 50, 30), wide=1.0, eye=1.0, mouth=1.0, nose=1.0, brow=1.0):
    """One person from the front, drawn at four times the size."""
    side = size * 4
    x0 = 0.5 + shift
    picture = Image.new('RGB', (side, side), ground)

    def box(x, y, rx, ry):
        return [(x - rx) * side, (y - ry) * side, (x + rx) * side, (y + ry) * side]

    def ellipse(draw, x, y, rx, ry, fill):
        draw.ellipse(box(x, y, rx, ry), fill=fill)

    def blended(picture, color, spots, blur):
        mask = Image.new('L', (side, side), 0)
        draw = ImageDraw.Draw(mask)
        for spot in spots:
            ellipse(draw, *spot)
        return Image.composite(Image.new('RGB', (side, side), color), picture,
                               mask.filter(ImageFilter.GaussianBlur(side * blur)))

    draw = ImageDraw.Draw(picture)
    ellipse(draw, x0, 0.36, 0.25 * wide, 0.27, hair)
    draw.rectangle([(x0 - 0.1) * side, 0.62 * side, (x0 + 0.1) * side, 0.9 * side], fill=scaled(skin, 0.72))
    ellipse(draw, x0, 1.05, 0.42, 0.25, (70, 80, 120))
    for sign in (-1, 1):
        ellipse(draw, x0 + sign * 0.215 * wide, 0.5, 0.03, 0.06, scaled(skin, 0.86))
    ellipse(draw, x0, 0.48, 0.21 * wide, 0.28, skin)
    shadows = [(x0, 0.6, 0.05 * nose, 0.018, 130), (x0, 0.735, 0.07, 0.02, 90)]
    lights = [(x0, 0.33, 0.1, 0.05, 110), (x0, 0.52, 0.014, 0.09, 120), (x0, 0.75, 0.04, 0.015, 60)]
    for sign in (-1, 1):
        shadows += [(x0 + sign * 0.1, 0.44, 0.065, 0.045, 90), (x0 + sign * 0.2 * wide, 0.55, 0.05, 0.16, 110),
                    (x0 + sign * 0.035, 0.5, 0.012, 0.1, 60)]
        lights.append((x0 + sign * 0.12, 0.57, 0.045, 0.03, 90))
    picture = blended(picture, scaled(skin, 0.55), shadows, 0.018)
    picture = blended(picture, scaled(skin, 1.08), lights, 0.02)
    draw = ImageDraw.Draw(picture)
    draw.chord([(x0 - 0.225 * wide) * side, 0.16 * side, (x0 + 0.225 * wide) * side, 0.56 * side], 200, 340, fill=hair)
    for sign in (-1, 1):
        x = x0 + sign * 0.092 * eye
        ellipse(draw, x, 0.445, 0.042, 0.021, (238, 234, 230))
        ellipse(draw, x, 0.445, 0.019, 0.02, iris)
        ellipse(draw, x, 0.445, 0.009, 0.01, (10, 10, 10))
        ellipse(draw, x + 0.006, 0.438, 0.004, 0.004, (255, 255, 255))
        draw.arc(box(x, 0.445, 0.045, 0.026), 190, 350, fill=(40, 25, 20), width=int(side * 0.006))
        points = [(x - 0.052, 0.398 + 0.004 * sign), (x, 0.385), (x + 0.052, 0.398 - 0.004 * sign)]
        draw.line([(a * side, b * side) for a, b in points], fill=hair, width=int(side * 0.013 * brow), joint='curve')
        ellipse(draw, x0 + sign * 0.02 * nose, 0.597, 0.009, 0.006, scaled(skin, 0.35))
    ellipse(draw, x0, 0.672, 0.068 * mouth, 0.018, (176, 84, 82))
    points = [(x0 - 0.07 * mouth, 0.67), (x0, 0.675), (x0 + 0.07 * mouth, 0.67)]
    draw.line([(a * side, b * side) for a, b in points], fill=(110, 45, 45), width=int(side * 0.006), joint='curve')
    return picture.filter(ImageFilter.GaussianBlur(3.2)).resize((size, size), Image.LANCZOS)


def faces(path):
    sheet = Image.new('RGB', (960, 640), (120, 140, 160))
    for column, person in enumerate(PEOPLE):
        for row, (size, shift, ground) in enumerate(LOOKS):
            margin = (320 - size) // 2
            sheet.paste(face(size, shift, ground, **person), (column * 320 + margin, row * 320 + margin))
    noise = np.random.default_rng(1).normal(0, 3, (640, 960, 3))
    pixels = np.clip(np.asarray(sheet).astype(float) + noise, 0, 255).astype('uint8')
    Image.fromarray(pixels).save(path, quality=90)


# Voice, pause after it in ms, sentence; actors/self-test/questions.ts knows the sentences.
SENTENCES = [
    ('en-us+m1', 400, 'Good morning. The sun is shining over the sea today.'),
    ('en-us+f2', 400, 'Thank you, I can see the lighthouse from the window.'),
    ('en-us+m1', 400, 'We will take the boat to the island in the afternoon.'),
    ('en-us+f2', 700, 'Please bring some bread and cheese, and a bottle of water.'),
]


def voices(path):
    with tempfile.TemporaryDirectory() as folder:
        inputs, filters = [], []
        for i, (voice, pause, text) in enumerate(SENTENCES):
            file = os.path.join(folder, f'{i}.wav')
            subprocess.run(['espeak-ng', '-v', voice, '-s', '150', '-w', file, text], check=True)
            inputs += ['-i', file]
            delay = 'adelay=700,' if i == 0 else ''
            filters.append(f'[{i}]{delay}apad=pad_dur={pause}ms[a{i}]')
        joined = ''.join(f'[a{i}]' for i in range(len(SENTENCES)))
        graph = f'{";".join(filters)};{joined}concat=n={len(SENTENCES)}:v=0:a=1,aresample=16000'
        subprocess.run(['ffmpeg', '-v', 'error', '-y', *inputs, '-filter_complex', graph, '-bitexact', '-ac', '1',
                        '-c:a', 'libopus', '-b:a', '24k', path], check=True)


faces(os.path.join(MEDIA, 'faces.jpg'))
voices(os.path.join(MEDIA, 'two-voices.ogg'))
