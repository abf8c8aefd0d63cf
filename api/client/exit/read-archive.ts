import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { AddressMismatch } from '../check-address.ts'
import { verifyWebhook, WebhookVerificationError } from '../verify-webhook.ts'
import { cleanText } from './clean-text.ts'
import { type ExitCharge, isCharge, parseExitCharge } from './exit-charge.ts'
import { type KeptRecord, splitRecords } from './split-records.ts'

/** The records of an archive. */
export type Archive = {
  /** Each charge once, in the order of their ids. */
  readonly charges: readonly ExitCharge[]
  /** Records that cannot be used, each with the reason. */
  readonly rejected: readonly { readonly where: string; readonly reason: string }[]
}

export type ArchiveOptions = {
  /** Trusted factory of a family without a fixed factory. */
  readonly factory?: string | undefined
  /** Webhook secrets. If there are any, a record counts only with a valid signature. */
  readonly secrets: readonly string[]
  /** Whether responses, which have no signature, count even though there are secrets. */
  readonly acceptsUnsigned?: boolean
}

/** A file is read as a whole. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** A charge has at most 16 KiB of metadata and a few kilobytes more; a webhook is slightly larger. */
const MAX_RECORD_BYTES = 1_000_000

/** Reading the balances of these takes minutes. */
const MAX_CHARGES = 100_000

/**
 * Reads every charge that a merchant has kept in a directory: responses and webhooks as they were received, in any order
 * and with duplicates.
 *
 * @throws {CommandError} if the directory cannot be read, or contains too many charges
 */
export function readArchive(directory: string, options: ArchiveOptions): Archive {
  const charges = new Map<string, ExitCharge>()
  const rejected: { where: string; reason: string }[] = []
  for (const file of listFiles(directory)) {
    const where = JSON.stringify(relative(directory, file))
    const reject = (at: string, error: unknown) => rejected.push({ where: at, reason: getReason(error) })
    try {
      splitRecords(readBounded(file)).forEach((record, index) => {
        try {
          const charge = readRecord(record, options)
          if (charge !== null) keep(charges, charge)
        } catch (error) {
          reject(index === 0 ? where : `${where}, record ${index + 1}`, error)
        }
      })
    } catch (error) {
      reject(where, error)
    }
  }
  const disputed = findDisputed([...charges.values()])
  for (const { id, splitAddress } of disputed)
    rejected.push({ where: id, reason: describeDispute(splitAddress) })
  const undisputed = [...charges.values()].filter((charge) => !disputed.has(charge))
  return { charges: undisputed.toSorted((one, other) => (one.id < other.id ? -1 : 1)), rejected }
}

/**
 * Finds escrows whose Safe is claimed for several splits. The Safe does not commit to a split, so at most one of them is
 * genuine: the signed one, if exactly one is signed.
 */
function findDisputed(charges: readonly ExitCharge[]): ReadonlySet<ExitCharge> {
  const claims = new Map<string, ExitCharge[]>()
  for (const charge of charges)
    if (charge.releaser !== null) claims.set(charge.address, [...(claims.get(charge.address) ?? []), charge])
  const disputed = [...claims.values()].flatMap((claim) => {
    const signed = claim.filter(({ isSigned }) => isSigned)
    if (claim.length === 1) return []
    return signed.length === 1 ? claim.filter(({ isSigned }) => !isSigned) : claim
  })
  return new Set(disputed)
}

function describeDispute(splitAddress: string): string {
  return `another record names another split than ${splitAddress} for the same escrow: one of them is forged`
}

/** Two records with one split have the same recipients, because its address commits to them. */
function keep(charges: Map<string, ExitCharge>, charge: ExitCharge): void {
  const key = `${charge.family} ${charge.address} ${charge.splitAddress}`
  const known = charges.get(key)
  const createdAt = Math.min(known?.createdAt ?? charge.createdAt, charge.createdAt)
  const isSigned = charge.isSigned || known?.isSigned === true
  charges.set(key, { ...charge, createdAt, isSigned })
  if (charges.size > MAX_CHARGES)
    throw new CommandError(`--archive contains more than ${MAX_CHARGES} charges: use several directories`)
}

function listFiles(directory: string): readonly string[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  } catch (error) {
    throw new CommandError(`--archive cannot be read: ${(error as Error).message}`)
  }
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

function readBounded(file: string): Uint8Array {
  const { size } = statSync(file)
  if (size <= MAX_FILE_BYTES) return readFileSync(file)
  throw new RangeError(`the file has ${size} bytes; at most ${MAX_FILE_BYTES} are allowed: split it`)
}

/** Returns the charge of a record; `null` if it is not about a charge. */
function readRecord(record: KeptRecord, options: ArchiveOptions): ExitCharge | null {
  const { body } = record
  if (body.length > MAX_RECORD_BYTES)
    throw new RangeError(`the record has ${body.length} bytes; at most ${MAX_RECORD_BYTES} are allowed`)
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const json = JSON.parse(text) as unknown
  const { event, data } = Object(json) as { event?: unknown; data?: unknown }
  const isWebhook = typeof event === 'string' && isCharge(data)
  if (!isWebhook && !isCharge(json)) return null
  const isSigned = verifySignature(record, { ...options, isWebhook })
  return parseExitCharge(isWebhook ? data : json, { factory: options.factory, isSigned })
}

/**
 * Returns whether a record is signed. Anyone can send a charge to a merchant's endpoint, so with secrets a request never
 * counts without a signature, whatever its body is.
 *
 * @throws {WebhookVerificationError} if the record must be signed and is not
 */
function verifySignature(
  { body, headers }: KeptRecord,
  { secrets, acceptsUnsigned, isWebhook }: ArchiveOptions & { readonly isWebhook: boolean },
): boolean {
  if (secrets.length === 0) return false
  if (acceptsUnsigned === true && headers === null && !isWebhook) return false
  verifyWebhook({ body, headers: headers ?? {} }, secrets, { toleranceSeconds: Number.POSITIVE_INFINITY })
  return true
}

/** @throws the error itself if it is not about the record */
function getReason(error: unknown): string {
  if (error instanceof CommandError) throw error
  const isExpected = [SyntaxError, RangeError, AddressMismatch, WebhookVerificationError].some(
    (kind) => error instanceof kind,
  )
  if (!isExpected && !isFileError(error)) throw error
  return cleanText((error as Error).message)
}

function isFileError(error: unknown): boolean {
  return typeof (error as { code?: unknown }).code === 'string'
}
