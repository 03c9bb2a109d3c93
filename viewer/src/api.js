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
 * @param {string} path
 * @param {any} [body] posted as JSON; without it the question is a GET
 * @param {AbortSignal} [signal]
 */
async function ask(path, body, signal) {
  let answer;
  try {
    answer = await fetch(path, body === undefined ? { signal } : {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
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
