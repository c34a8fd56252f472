// Loads the catalogue of one language from the server.

/** Return a language's texts: those of pages (.js) merged with those shared with reports (.json). */
export async function catalogue(code) {
  const [own, shared] = await Promise.all([
    import(`./words/${code}.js`),
    fetch(new URL(`./words/${code}.json`, import.meta.url)).then((answer) => answer.json()),
  ]);
  return { ...own.default, ...shared };
}
