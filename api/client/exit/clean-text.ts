const MAX_CHARACTERS = 400

/**
 * Truncates text from a node or a record, and replaces its control and format characters, which could change how an
 * address is displayed in a terminal.
 */
export function cleanText(text: string): string {
  return text.slice(0, MAX_CHARACTERS).replace(/[\p{Cc}\p{Cf}]/gu, '?')
}
