"""Small line plots as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, MARGIN = 340, 220, 44


@dataclass(frozen=True, slots=True)
class Line:
    """What is measured along one dimension: (where, value), in the order of where."""

    name: str
    points: Sequence[tuple[int, float]]


def draw(title: str, lines: Sequence[Line]) -> str:
    """A panel for each line, two in a row, all of them with one scale of values from 0."""
    top = max(value for line in lines for _, value in line.points)
    rows = math.ceil(len(lines) / 2)
    panels = "".join(_panel(line, top, at % 2 * WIDTH, 30 + at // 2 * HEIGHT) for at, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {rows * HEIGHT + 30}" '
        f'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
        f'<text x="{WIDTH}" y="20" text-anchor="middle" font-size="14">{escape(title)}</text>{panels}</svg>\n'
    )


def _panel(line: Line, top: float, left: int, above: int) -> str:
    wide, high = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN
    low, far = (math.log(line.points[at][0]) for at in (0, -1))
    dots = [
        (
            left + MARGIN + (math.log(at) - low) / (far - low) * wide,
            above + MARGIN + high * (1 - value / top),
            at,
            value,
        )
        for at, value in line.points
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _, _ in dots)
    base = above + MARGIN + high
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
        f'<text x="{x:.1f}" y="{y - 7:.1f}" text-anchor="middle">{value:.1f}</text>'
        f'<text x="{x:.1f}" y="{base + 14}" text-anchor="middle">{at:,}</text>'
        for x, y, at, value in dots
    )
    return (
        f'<line x1="{left + MARGIN}" y1="{base}" x2="{left + MARGIN + wide}" y2="{base}" stroke="#888"/>'
        f'<polyline points="{path}" fill="none" stroke="#1f77b4" stroke-width="2"/><g fill="#1f77b4">{marks}</g>'
        f'<text x="{left + WIDTH // 2}" y="{base + 32}" text-anchor="middle">{escape(line.name)}</text>'
    )
