// Lets the dashboard open from the home screen while the table is away. Only its own pages are kept, and only for
// when the table does not answer; what the table says (/api, /art) never comes from here.

const KEPT = "tilesight-pages";
const OWN = /^\/($|camera|manifest\.webmanifest|(css|js|img|fonts)\/)/;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || !OWN.test(pathname)) return;
  event.respondWith(fromTable(request));
});

async function fromTable(request) {
  const kept = await caches.open(KEPT);
  try {
    const answer = await fetch(request);
    if (answer.ok) await kept.put(request, answer.clone());
    return answer;
  } catch (error) {
    const known = await kept.match(request, { ignoreSearch: true });
    if (known) return known;
    throw error;
  }
}
