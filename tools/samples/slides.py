"""Makes onboarding.pptx: five slides in English for people in their first week."""

from __future__ import annotations

from pathlib import Path

from pptx import Presentation

TARGET = Path(__file__).parents[2] / "bot" / "sandbox" / "samples" / "onboarding.pptx"

SLIDES = [
    (
        "Welcome to Haitang Interiors",
        ["We plan and build the inside of homes in Jiangcheng, about 90 flats a year.", "Thirty-one people work here."],
    ),
    (
        "Your first week",
        [
            "Monday: laptop, badge and accounts from David Ng at 9:30 in room 204.",
            "Tuesday and Wednesday: showroom tour and product samples.",
            "Thursday: a day on a building site with Zhou Qiang.",
            "Friday: lunch with Lin Mei and a talk about how the week went.",
        ],
    ),
    (
        "Accounts and passwords",
        [
            "You get mail, Slack and the drawing archive. Ask for anything else in #general.",
            "Turn on two-step sign-in within 48 hours, or the account is locked.",
            "Never send a password in a message.",
        ],
    ),
    (
        "On a building site",
        [
            "Wear a helmet and safety shoes; both are in the store room on the ground floor.",
            "Visitors sign the site book and stay with the site manager.",
            "Report an accident to Zhou Qiang at once, however small it looks.",
        ],
    ),
    (
        "Trial period and mentor",
        [
            "The trial period is three months, with a review after six weeks.",
            "Everyone has a mentor from another team for the first half year.",
        ],
    ),
]


def main() -> None:
    presentation = Presentation()
    layout = presentation.slide_layouts[1]
    for title, lines in SLIDES:
        slide = presentation.slides.add_slide(layout)
        slide.shapes.title.text = title
        body = slide.placeholders[1].text_frame
        body.text = lines[0]
        for line in lines[1:]:
            body.add_paragraph().text = line
    presentation.save(str(TARGET))


if __name__ == "__main__":
    main()
