// Dark theme, whatever the device prefers: a wall display is dark.

/** Apply the dark theme to a document. */
export function atNight(page) {
  page.documentElement.style.colorScheme = "dark";
  for (const sheet of page.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (rule instanceof page.defaultView.CSSMediaRule && rule.conditionText === "(prefers-color-scheme: dark)") rule.media.mediaText = "all";
    }
  }
}
