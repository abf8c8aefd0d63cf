import { parseWebUrl } from './web-url.ts'

/** Maximum characters of a contact, enough for a URL with a path. */
export const MAX_SUPPORT_CHARACTERS = 300

/** One address without header fields, so that a page can add a subject. */
const MAILTO = /^mailto:[A-Za-z0-9.!#$%&*+/=^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}$/

/**
 * Parses a merchant's contact for payers, which pages use as a link: an `https:` URL without credentials, or `mailto:`
 * and one address. Returns `null` for any other text.
 */
export function parseSupportContact(text: string): string | null {
  const contact = MAILTO.test(text) ? text : parseHttps(text)
  const isUsable =
    contact !== null && contact.length <= MAX_SUPPORT_CHARACTERS && !/[^!-~]|[<>"']/.test(contact)
  return isUsable ? contact : null
}

function parseHttps(text: string): string | null {
  const url = parseWebUrl(text)
  return url?.protocol === 'https:' ? url.href : null
}
