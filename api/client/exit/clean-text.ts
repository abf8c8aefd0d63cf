const MAX_CHARACTERS = 400

/**
 * Truncates text of a node or a record, and replaces its control and format characters, which could repaint an
 * address in a terminal.
 */
export function cleanText(text: string): string {
  return text.slice(0, MAX_CHARACTERS).replace(/[\p{Cc}\p{Cf}]/gu, '?')
}
