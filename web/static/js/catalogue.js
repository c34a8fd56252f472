// The words of one language, as the server has them.

/** A language's own words, and in a .json those that the table's reports say too. */
export async function catalogue(code) {
  const [own, shared] = await Promise.all([
    import(`./words/${code}.js`),
    fetch(new URL(`./words/${code}.json`, import.meta.url)).then((answer) => answer.json()),
  ]);
  return { ...own.default, ...shared };
}
