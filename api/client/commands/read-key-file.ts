import { readFileSync } from 'node:fs'
import type { Hex } from '../../../shared/domain/address.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'

/**
 * Reads a private key from a file. Error messages show neither the content nor the path, because someone might have
 * passed the key itself instead of a path.
 *
 * @throws {CommandError} if the file cannot be read, or contains no private key
 */
export function readKeyFile(path: string): Hex {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new CommandError(`--key-file cannot be read: ${(error as { code?: string }).code ?? 'unknown'}`)
  }
  if (!/^0x[0-9a-fA-F]{64}$/.test(text))
    throw new CommandError('--key-file does not hold a private key: 0x and 64 hex digits')
  return text as Hex
}
