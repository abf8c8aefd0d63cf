const PREFIX = 'assets/logo-'

/** Answers where a logo is, from the pages: its name changes with its content, so that it can be kept for ever. */
export function logoPath(hash: string): string {
  return `${PREFIX}${hash}`
}

/** Reads the hash of a logo from its path below the base of the pages; `null` if it is the path of none. */
export function parseLogoPath(path: string): string | null {
  const hash = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : ''
  return /^[0-9a-f]{64}$/.test(hash) ? hash : null
}
