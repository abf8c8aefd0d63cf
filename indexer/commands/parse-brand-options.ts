import { open } from 'node:fs/promises'
import type { BrandChange } from '../../shared/db/organizations/daemon/brands.ts'
import { type Color, parseColor } from '../../shared/domain/accent.ts'
import { isFrameOrigin, MAX_FRAME_ORIGINS } from '../../shared/domain/frame-origin.ts'
import { type Logo, MAX_LOGO_BYTES, parseLogo } from '../../shared/domain/logo.ts'
import { MAX_SUPPORT_CHARACTERS, parseSupportContact } from '../../shared/domain/support-contact.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'

export const BRAND_OPTIONS = ['name', 'accent', 'logo', 'support', 'frames'] as const

/** The given options of `brand set`. */
export type BrandOptions = { readonly [Name in (typeof BRAND_OPTIONS)[number]]?: string }

const MAX_NAME_CHARACTERS = 60

/**
 * Control characters, separators of lines and paragraphs, and format characters, such as those that change the text
 * direction. The two joiners that Hindi and Persian use are allowed.
 */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * Parses the changes to a brand.
 *
 * @throws {CommandError} if no option is given, or an option is invalid; the message names the option and its limit
 */
export async function parseBrandOptions(options: BrandOptions): Promise<BrandChange> {
  const { name, accent, logo, support, frames } = options
  if (Object.values(options).every((option) => option === undefined))
    throw new CommandError('brand set requires --name, --accent, --logo, --support or --frames; see --help')
  return {
    ...(name === undefined ? {} : { name: parseName(name) }),
    ...(accent === undefined ? {} : { accent: accent === 'default' ? null : parseAccent(accent) }),
    ...(logo === undefined ? {} : { logo: logo === 'none' ? null : await readLogoFile(logo) }),
    ...(support === undefined ? {} : { support: support === 'none' ? null : parseSupport(support) }),
    ...(frames === undefined ? {} : { frameOrigins: frames === 'default' ? null : parseFrames(frames) }),
  }
}

function parseName(text: string): string {
  const name = text.trim().normalize('NFC')
  const length = Array.from(name).length
  if (length >= 1 && length <= MAX_NAME_CHARACTERS && !UNSEEN.test(name)) return name
  const given = `--name is ${JSON.stringify(text.slice(0, 80))}, with ${length} characters`
  throw new CommandError(`${given}: must have 1 to ${MAX_NAME_CHARACTERS} visible characters`)
}

function parseAccent(text: string): Color {
  const color = parseColor(text)
  if (color !== null) return color
  throw new CommandError(
    `--accent is ${JSON.stringify(text.slice(0, 40))}: must be default, or # and six hex digits such as #1f7a4d`,
  )
}

function parseSupport(text: string): string {
  const contact = parseSupportContact(text)
  if (contact !== null) return contact
  const given = `--support is ${JSON.stringify(text.slice(0, 80))}`
  throw new CommandError(
    `${given}: must be none, an https: URL, or mailto: and one address, with at most ${MAX_SUPPORT_CHARACTERS} characters`,
  )
}

function parseFrames(text: string): readonly string[] {
  const origins = [...new Set(text.split(','))]
  if (origins.length <= MAX_FRAME_ORIGINS && origins.every(isFrameOrigin)) return origins
  throw new CommandError(
    `--frames is ${JSON.stringify(text.slice(0, 80))}: must be default, or at most ${MAX_FRAME_ORIGINS} https origins such as https://shop.example, separated by commas`,
  )
}

async function readLogoFile(path: string): Promise<Logo> {
  const reading = parseLogo(await readBounded(path))
  if (reading.ok) return reading.logo
  throw new CommandError(`--logo ${path} ${reading.problem}`)
}

/** Reads at most one byte above the limit, because a device such as `/dev/zero` has no size and no end. */
async function readBounded(path: string): Promise<Uint8Array> {
  try {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      if (size > MAX_LOGO_BYTES)
        throw new CommandError(`--logo ${path} has ${size} bytes: must have at most ${MAX_LOGO_BYTES}`)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_LOGO_BYTES + 1))
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`--logo ${path} cannot be read: ${(error as Error).message}`)
  }
}
