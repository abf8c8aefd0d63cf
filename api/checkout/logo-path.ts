const PREFIX = 'assets/logo-'

/**
 * Returns the path of a logo relative to a charge's page. The path contains the hash of the content, so the logo can be
 * cached permanently.
 */
export function logoPath(hash: string): string {
  return `${PREFIX}${hash}`
}

/** Parses the hash of a logo from a path below the base path of the pages; returns `null` for any other path. */
export function parseLogoPath(path: string): string | null {
  const hash = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : ''
  return /^[0-9a-f]{64}$/.test(hash) ? hash : null
}
