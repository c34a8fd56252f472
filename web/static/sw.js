// Service worker: opens the dashboard from the home screen while the table is unreachable, and speeds it up on slow
// connections. Files below a version's path (/v/…) never change and come from the cache. Pages come from the cache only
// if the table does not answer. Answers of the table (/api) are never cached.

const KEPT = "tilesight-pages";
const VERSION = /^\/v\/[0-9a-f]+\//;
const OWN = /^\/($|camera|manifest\.webmanifest|(v|art|css|js|img|fonts)\/)/;

const AWAY = {
  en: ["The table does not answer", "Is its computer on, and this device in the same network? This page tries again by itself."],
  de: ["Der Tisch antwortet nicht", "Ist sein Computer an und dieses Gerät im selben Netz? Diese Seite versucht es von selbst wieder."],
  fr: ["La table ne répond pas", "Son ordinateur est-il allumé, et cet appareil sur le même réseau ? Cette page réessaie d’elle-même."],
};
const AGAIN_MS = 3000;

self.addEventListener("install", (event) => {
  // The open page was loaded before this script could cache it.
  event.waitUntil(caches.open(KEPT).then((kept) => kept.add("/")).catch(() => {}).then(() => self.skipWaiting()));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || !OWN.test(pathname)) return;
  event.respondWith(VERSION.test(pathname) ? fromHere(request, pathname) : fromTable(request));
});

async function fromHere(request, pathname) {
  const kept = await caches.open(KEPT);
  const known = await kept.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.ok) {
    await kept.put(request, answer.clone());
    await forgetOthers(kept, VERSION.exec(pathname)[0]);
  }
  return answer;
}

async function fromTable(request) {
  const kept = await caches.open(KEPT);
  try {
    const answer = await fetch(request);
    if (answer.ok) await kept.put(request, answer.clone());
    return answer;
  } catch (error) {
    const known = await kept.match(request, { ignoreSearch: new URL(request.url).pathname === "/" });
    if (known) return known;
    if (request.mode === "navigate") return away();
    throw error;
  }
}

/** Return a page that says that the table is unreachable, and retries. */
function away() {
  const code = navigator.languages.map((tag) => tag.slice(0, 2)).find((one) => one in AWAY) ?? "en";
  const [title, why] = AWAY[code];
  const style = "body{margin:0;min-height:100vh;display:grid;place-content:center;gap:12px;padding:24px;text-align:center;font:1.125rem/1.4 sans-serif;color-scheme:light dark}h1{font-size:1.5rem;margin:0 0 12px}p{margin:0;max-width:34ch}";
  const again = `setInterval(() => fetch(location.href, { cache: "no-store" }).then((answer) => answer.ok && location.reload(), () => {}), ${AGAIN_MS})`;
  const page = `<!doctype html><html lang="${code}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Tilesight</title><style>${style}</style></head><body><main><h1>${title}</h1><p>${why}</p></main><script>${again}</script></body></html>`;
  return new Response(page, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

/** Delete the files of former versions once a newer one is used. */
async function forgetOthers(kept, version) {
  for (const { url } of await kept.keys()) {
    const former = VERSION.exec(new URL(url).pathname);
    if (former && former[0] !== version) await kept.delete(url);
  }
}
