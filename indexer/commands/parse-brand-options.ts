import { open } from 'node:fs/promises'
import type { BrandChange } from '../../shared/db/organizations/daemon/brands.ts'
import { type Color, parseColor } from '../../shared/domain/accent.ts'
import { type Logo, MAX_LOGO_BYTES, parseLogo } from '../../shared/domain/logo.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'

/** The command's options. */
export type BrandOptions = {
  readonly name?: string
  readonly accent?: string
  readonly logo?: string
}

const MAX_NAME_CHARACTERS = 60

/** Control characters and characters that change text direction, except the two joiners used in Hindi and Persian. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * Parses the changes to a brand.
 *
 * @throws {CommandError} naming the option, its value and its limit
 */
export async function parseBrandOptions({ name, accent, logo }: BrandOptions): Promise<BrandChange> {
  if (name === undefined && accent === undefined && logo === undefined)
    throw new CommandError('brand set requires --name, --accent or --logo; see --help')
  return {
    ...(name === undefined ? {} : { name: parseName(name) }),
    ...(accent === undefined ? {} : { accent: accent === 'default' ? null : parseAccent(accent) }),
    ...(logo === undefined ? {} : { logo: logo === 'none' ? null : await readLogoFile(logo) }),
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

async function readLogoFile(path: string): Promise<Logo> {
  const reading = parseLogo(await readBounded(path))
  if (reading.ok) return reading.logo
  throw new CommandError(`--logo ${path} ${reading.problem}`)
}

/** Reads at most one byte more than the limit, so that an endless file ends as well. */
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
