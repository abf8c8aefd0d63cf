/** Parses JSON. Returns `null` for other text, such as an empty body. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
