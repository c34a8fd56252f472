// Night, whatever the device prefers: a screen on a wall is dark.

/** Make a document's styles those of a dark room. */
export function atNight(page) {
  page.documentElement.style.colorScheme = "dark";
  for (const sheet of page.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (rule instanceof page.defaultView.CSSMediaRule && rule.conditionText === "(prefers-color-scheme: dark)") rule.media.mediaText = "all";
    }
  }
}
