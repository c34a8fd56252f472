// Light or dark theme for pages that ignore the device's preference: a wall display is dark, and an overlay takes its
// theme from its address.

/** Apply the dark theme to a document. */
export function atNight(page) {
  page.documentElement.style.colorScheme = "dark";
  inTheme(page, "dark");
}

/** Apply the colours of a theme ("light" or "dark") to a document. The canvas behind them stays as it is. */
export function inTheme(page, theme) {
  for (const sheet of page.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (rule instanceof page.defaultView.CSSMediaRule && rule.conditionText === "(prefers-color-scheme: dark)") rule.media.mediaText = theme === "dark" ? "all" : "not all";
    }
  }
}
