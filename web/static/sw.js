// Lets the dashboard open from the home screen while the table is away, and at once while it is far. Files under the
// address of a version (/v/…) never change and come from here; the pages themselves only when the table does not
// answer. What the table says (/api) never comes from here.

const KEPT = "tilesight-pages";
const VERSION = /^\/v\/[0-9a-f]+\//;
const OWN = /^\/($|camera|manifest\.webmanifest|(v|art|css|js|img|fonts)\/)/;

self.addEventListener("install", () => self.skipWaiting());
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
    throw error;
  }
}

/** Former versions of the files go once a newer one is used. */
async function forgetOthers(kept, version) {
  for (const { url } of await kept.keys()) {
    const former = VERSION.exec(new URL(url).pathname);
    if (former && former[0] !== version) await kept.delete(url);
  }
}
