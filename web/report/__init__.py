"""Report of a game, as an HTML page to share and as a PDF."""

from web.report.page import Report, report_html
from web.report.squares_report import square_report
from web.report.tile_report import tile_report
from web.report.words import Language, Words, words_in

__all__ = ["Language", "Report", "Words", "report_html", "square_report", "tile_report", "words_in"]
