// Questions to the server of `polhode view`, relative to the page (the first part of the path is its token).

/** What the server answered instead of a result. */
export class ServerError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * The answer to the first question, which the served page asks before this script is read: of one kind, once.
 * @param {string} path
 * @param {string | undefined} body
 * @returns {Promise<Response> | null}
 */
function early(path, body) {
  const page = /** @type {any} */ (globalThis);
  const first = page.polhodeFirst;
  if (path !== "api/model" || first?.body !== body) return null;
  page.polhodeFirst = null;
  return first.answer;
}

/**
 * @param {string} path
 * @param {any} [body] posted as JSON; without it the question is a GET
 * @param {AbortSignal} [signal]
 */
async function ask(path, body, signal) {
  let answer;
  const text = body === undefined ? undefined : JSON.stringify(body);
  try {
    answer = await (early(path, text) ?? fetch(path, text === undefined ? { signal } : {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: text,
      signal,
    }));
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ServerError("The program does not answer; is `polhode view` still running?", 0);
  }
  const result = await answer.json().catch(() => null);
  if (!answer.ok || result === null || result.error) {
    throw new ServerError(result?.error ?? `The program answered with status ${answer.status}.`, answer.status);
  }
  return result;
}

/**
 * @typedef {{name?: string, text?: string}} Source
 * @typedef {{set?: Record<string, number>, start?: Record<string, number>, until?: number}} Changes
 */

export const server = {
  /** @returns {Promise<any[]>} */
  catalogue: () => ask("api/catalogue"),
  /** @param {Source & Changes} request @param {AbortSignal} [signal] */
  model: (request, signal) => ask("api/model", request, signal),
  /** @param {Source & Changes} request @param {AbortSignal} [signal] */
  run: (request, signal) => ask("api/run", request, signal),
  /** @param {Source & {form?: string}} request */
  equations: (request) => ask("api/equations", request),
  /** @param {Source} request */
  facts: (request) => ask("api/facts", request),
};
