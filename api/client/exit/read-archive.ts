import { readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { verifyWebhook } from '../verify-webhook.ts'
import { cleanText } from './clean-text.ts'
import { type ExitCharge, isCharge, parseExitCharge } from './exit-charge.ts'
import { listFiles } from './list-files.ts'
import { type KeptRecord, splitRecords, type UnreadablePart } from './split-records.ts'

/** The records of an archive. */
export type Archive = {
  /** Each charge once, sorted by id. */
  readonly charges: readonly ExitCharge[]
  /** Records that cannot be used, each with the reason; at most the first thousand. */
  readonly rejected: readonly Rejected[]
  /** Number of all records that cannot be used. */
  readonly rejectedCount: number
  /** Number of records that are not about charges. */
  readonly otherCount: number
}

type Rejected = { readonly where: string; readonly reason: string }

export type ArchiveOptions = {
  /** Trusted factory of a family without a fixed factory. */
  readonly factory?: string | undefined
  /** Webhook secrets. If there are any, a record counts only with a valid signature. */
  readonly secrets: readonly string[]
  /** Whether responses, which have no signature, count even though there are secrets. */
  readonly acceptsUnsigned?: boolean
}

/** Maximum size of a file, because a file is read as a whole. */
const MAX_FILE_BYTES = 64 * 1024 * 1024

/**
 * Maximum size of a record. A charge has at most 16 KiB of metadata and a few kilobytes more; a webhook is slightly
 * larger.
 */
const MAX_RECORD_BYTES = 1_000_000

/** Maximum rejected records that are kept, because a damaged file can have millions of bad lines. */
const MAX_REASONS = 1_000

/**
 * Reads every charge that a merchant has kept in a directory: responses and webhooks as they were received, in any
 * order and with duplicates. A record, file or subdirectory that cannot be used is reported, and the others are read.
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
  // No record may prevent the use of the others.
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
 * Finds the records of escrows whose Safe is claimed for several splits, except the genuine record. The Safe does not
 * commit to a split, so at most one of them is genuine: the signed one, if exactly one is signed.
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

/** Keeps a charge. Records of the same split have the same recipients: the split's address commits to them. */
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
 * Returns whether a record is signed. Anyone can send a charge to a merchant's endpoint, so with secrets, a request
 * without a signature never counts.
 *
 * @throws {WebhookVerificationError} if the record must have a valid signature and has none
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
