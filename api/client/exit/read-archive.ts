import { readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { verifyWebhook } from '../verify-webhook.ts'
import { cleanText } from './clean-text.ts'
import { type ExitCharge, isCharge, parseExitCharge } from './exit-charge.ts'
import { listFiles } from './list-files.ts'
import { type KeptRecord, splitRecords, type UnreadablePart } from './split-records.ts'

export type Archive = {
  /** One charge per payment address and split, sorted by id. */
  readonly charges: readonly ExitCharge[]
  /** The first thousand records that cannot be used, with the reasons. */
  readonly rejected: readonly Rejected[]
  /** Number of all rejected records. */
  readonly rejectedCount: number
  /** Number of records that are not about charges. */
  readonly otherCount: number
}

type Rejected = { readonly where: string; readonly reason: string }

export type ArchiveOptions = {
  /** Trusted factory of a chain family without a fixed factory. */
  readonly factory?: string | undefined
  /** Webhook secrets. If there are any, records without a valid signature are rejected. */
  readonly secrets: readonly string[]
  /** Whether API responses, which are unsigned, are accepted even if there are secrets. */
  readonly acceptsUnsigned?: boolean
}

/** Maximum size of a file. A file is read into memory as a whole. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

/**
 * Maximum size of a record, far above a webhook with a charge, which has up to 16 KiB of metadata and a few kilobytes
 * of other fields.
 */
const MAX_RECORD_BYTES = 1_000_000

/** Maximum reported rejections, because a damaged file can have millions of bad lines. */
const MAX_REASONS = 1_000

/**
 * Reads every charge in a merchant's directory of API responses and webhooks, which may be in any order and contain
 * duplicates. Reports each record, file or subdirectory that cannot be used, and reads the others.
 *
 * @throws {CommandError} if the directory cannot be read
 */
export function readArchive(directory: string, options: ArchiveOptions): Archive {
  const reading: Reading = { charges: new Map(), rejected: [], rejectedCount: 0, otherCount: 0 }
  const { files, problems } = listFiles(directory)
  const describe = (path: string) => cleanText(JSON.stringify(relative(directory, path)))
  for (const { path, error } of problems) reject(reading, describe(path), error)
  for (const path of files) readFile(reading, { ...options, path, where: describe(path) })
  const charges = [...reading.charges.values()]
  const disputed = findDisputed(charges)
  for (const { id, splitAddress } of disputed) reject(reading, id, new Error(describeDispute(splitAddress)))
  const undisputed = charges.filter((charge) => !disputed.has(charge))
  return { ...reading, charges: undisputed.toSorted((one, other) => (one.id < other.id ? -1 : 1)) }
}

type Reading = {
  readonly charges: Map<string, ExitCharge>
  readonly rejected: Rejected[]
  rejectedCount: number
  otherCount: number
}

function reject(reading: Reading, where: string, error: unknown): void {
  reading.rejectedCount += 1
  if (reading.rejected.length >= MAX_REASONS) return
  const reason = cleanText(error instanceof Error ? error.message : String(error))
  reading.rejected.push({ where, reason })
}

function readFile(
  reading: Reading,
  { path, where, ...options }: ArchiveOptions & { readonly path: string; readonly where: string },
): void {
  try {
    for (const record of splitRecords(readBounded(path))) {
      const place = record.part === '' ? where : `${where}, ${record.part}`
      keepRecord(reading, { ...options, record, place })
    }
  } catch (error) {
    reject(reading, where, error)
  }
}

function keepRecord(
  reading: Reading,
  {
    record,
    place,
    ...options
  }: ArchiveOptions & { readonly record: KeptRecord | UnreadablePart; readonly place: string },
): void {
  try {
    if ('problem' in record) throw new Error(record.problem)
    const charge = readRecord(record, options)
    if (charge === null) reading.otherCount += 1
    else keep(reading.charges, charge)
  } catch (error) {
    reject(reading, place, error)
  }
}

/**
 * Finds conflicting charges: several for the same escrow Safe with different splits. The Safe does not commit to a
 * split, so at most one of them is genuine. If exactly one is signed, that charge is not returned.
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
  return `a second record of the same escrow names a split other than ${splitAddress}: at most one of them is genuine`
}

/** Merges records of the same split, which have the same recipients, because the split's address commits to them. */
function keep(charges: Map<string, ExitCharge>, charge: ExitCharge): void {
  const key = `${charge.family} ${charge.address} ${charge.splitAddress}`
  const known = charges.get(key)
  const createdAt = Math.min(known?.createdAt ?? charge.createdAt, charge.createdAt)
  const isSigned = charge.isSigned || known?.isSigned === true
  charges.set(key, { ...charge, createdAt, isSigned })
}

function readBounded(file: string): Uint8Array {
  const { size } = statSync(file)
  if (size <= MAX_FILE_BYTES) return readFileSync(file)
  throw new RangeError(`the file has ${size} bytes; at most ${MAX_FILE_BYTES} are allowed: split it`)
}

/** Returns `null` if the record is not about a charge. */
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
 * Returns whether a record has a valid signature. Anyone can send a charge to the merchant's webhook endpoint, so if
 * there are secrets, an unsigned request is never accepted.
 *
 * @throws {WebhookVerificationError} if a record that must be signed has no valid signature
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
