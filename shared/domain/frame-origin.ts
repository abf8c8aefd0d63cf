/** Maximum origins per merchant. A header of each page lists them. */
export const MAX_FRAME_ORIGINS = 10

const ORIGIN = /^https:\/\/[a-z0-9.-]{1,253}(:[0-9]{1,5})?$/

/**
 * Returns whether a text is exactly an https origin such as `https://shop.example`. A wildcard or a scheme source would
 * let other sites frame the pages, and a space or semicolon could add sources or directives to the header.
 */
export function isFrameOrigin(text: string): boolean {
  return ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text
}
