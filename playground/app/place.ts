// Where the Worker serves the playground and the API: it writes both paths into the document.

const { pages = "", api = "" } = document.querySelector<HTMLMetaElement>('meta[name="threadhold"]')?.dataset ?? {};

/** The path of the pages, empty for the root. Addresses of the router do not contain it. */
export const pagesPath = pages;

/** The path before `/api`, empty for the root. */
export const apiPath = api;

/** The address of the API, without a slash at its end. */
export const apiAddress = `${location.origin}${api}`;
