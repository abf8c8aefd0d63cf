import type { Hex } from '../../shared/domain/address.ts'
import { EVIDENCE_KINDS, type EvidenceKind } from '../../shared/domain/evidence/evidence-kind.ts'
import { MAX_PROOF_BYTES } from '../../shared/domain/evidence/receipt-proof.ts'
import { NETWORKS, TOKENS } from '../../shared/domain/networks.ts'
import { AddressMismatch, type ChargeTerms } from './check-address.ts'
import { EvidenceError, requireCondition } from './evidence-error.ts'
import { readChargeTerms } from './read-charge-terms.ts'

/** The fields of evidence that the verification uses. Their form is valid, but their content is not verified. */
export type Evidence = { readonly charge: ChargeTerms; readonly data: readonly EvidenceTransaction[] }

export type EvidenceTransaction = {
  readonly network: string
  readonly chainId: number
  readonly txHash: string
  readonly block: { readonly number: number; readonly hash: Hex; readonly time: string }
  readonly logs: readonly EvidenceLog[]
  /** `null` if the evidence contains no proof, or the block's hash is not trusted. */
  readonly proof: EvidenceProof | null
  readonly reason: string | null
}

export type EvidenceProof = {
  readonly header: Hex
  readonly transactionIndex: number
  readonly receiptNodes: readonly Hex[]
}

export type EvidenceLog = {
  readonly kind: EvidenceKind
  readonly position: number | null
  readonly token: string
  readonly tokenAddress: string
  readonly party: string
  readonly amountAtomic: string
  readonly agreedAt: string | null
  readonly agreedBy: readonly string[]
}

/** Maximum characters of a hex string. No part of a proof can be larger than the whole proof. */
const MAX_HEX_LENGTH = 2 + 2 * MAX_PROOF_BYTES
/** Maximum characters of evidence: about 128 proofs of the maximum size, or thousands of the usual size. */
export const MAX_EVIDENCE_LENGTH = 128 * MAX_HEX_LENGTH
const MAX_TRANSACTIONS = 10_000
const MAX_LOGS = 10_000
/**
 * Maximum nodes of a proof. 9 suffice, because a receipt's key has at most four bytes, and each node except the last
 * consumes at least half a byte.
 */
const MAX_NODES = 16
const MAX_INDEX = 1_000_000
const MAX_OPERATORS = 100
const MAX_NAME_LENGTH = 200

/**
 * Parses one page of evidence, or several merged pages. Reads only the proofs of blocks in `blockHashes`, so that
 * strangers' payments in other blocks cannot make it fail.
 *
 * @throws {EvidenceError} naming the invalid field
 */
export function readEvidence(text: string, blockHashes: ReadonlySet<Hex>): Evidence {
  if (text.length > MAX_EVIDENCE_LENGTH)
    throw new EvidenceError(`the evidence has more than ${MAX_EVIDENCE_LENGTH} characters`)
  const { charge, data } = readObject('the evidence', parse(text))
  return {
    charge: readTerms(charge),
    data: readArray('data', data, MAX_TRANSACTIONS).map((one, index) =>
      readTransaction(`data[${index}]`, one, blockHashes),
    ),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new EvidenceError('the evidence is not JSON')
  }
}

function readTransaction(name: string, value: unknown, blockHashes: ReadonlySet<Hex>): EvidenceTransaction {
  const { network, chainId, txHash, block, logs, proof, reason } = readObject(name, value)
  const { number, hash: blockHash, time } = readObject(`${name}.block`, block)
  const hash = readHex(`${name}.block.hash`, blockHash)
  return {
    network: readWord(`${name}.network`, network, NETWORKS),
    chainId: readInteger(`${name}.chainId`, chainId, Number.MAX_SAFE_INTEGER),
    txHash: readPattern(`${name}.txHash`, txHash, TRANSACTION_HASH),
    block: {
      number: readInteger(`${name}.block.number`, number, Number.MAX_SAFE_INTEGER),
      hash,
      time: readPattern(`${name}.block.time`, time, TIME),
    },
    logs: readArray(`${name}.logs`, logs, MAX_LOGS).map((log, at) => readLog(`${name}.logs[${at}]`, log)),
    proof: proof === null || !blockHashes.has(hash) ? null : readProof(`${name}.proof`, proof),
    reason: reason === null ? null : readPattern(`${name}.reason`, reason, REASON),
  }
}

function readProof(name: string, value: unknown): EvidenceProof {
  const { header, transactionIndex, receiptNodes } = readObject(name, value)
  const nodes = readArray(`${name}.receiptNodes`, receiptNodes, MAX_NODES)
  return {
    header: readHex(`${name}.header`, header),
    transactionIndex: readInteger(`${name}.transactionIndex`, transactionIndex, MAX_INDEX),
    receiptNodes: nodes.map((node, at) => readHex(`${name}.receiptNodes[${at}]`, node)),
  }
}

function readLog(name: string, value: unknown): EvidenceLog {
  const { kind, position, token, tokenAddress, party, amountAtomic, agreedAt, agreedBy } = readObject(
    name,
    value,
  )
  requireCondition(
    typeof kind === 'string' && Object.hasOwn(EVIDENCE_KINDS, kind),
    `${name}.kind is not a known kind`,
  )
  return {
    kind: kind as EvidenceKind,
    position: position === null ? null : readInteger(`${name}.position`, position, MAX_INDEX),
    token: readWord(`${name}.token`, token, TOKENS),
    tokenAddress: readName(`${name}.tokenAddress`, tokenAddress),
    party: readName(`${name}.party`, party),
    amountAtomic: readDigits(`${name}.amountAtomic`, amountAtomic),
    agreedAt: agreedAt === null ? null : readPattern(`${name}.agreedAt`, agreedAt, TIME),
    agreedBy: readArray(`${name}.agreedBy`, agreedBy, MAX_OPERATORS).map((one) =>
      readPattern(`${name}.agreedBy`, one, OPERATOR),
    ),
  }
}

function readTerms(charge: unknown): ChargeTerms {
  try {
    return readChargeTerms(charge)
  } catch (error) {
    if (error instanceof AddressMismatch) throw new EvidenceError(`charge: ${error.message}`)
    throw error
  }
}

type Fields = Readonly<Record<string, unknown>>

function readObject(name: string, value: unknown): Fields {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  requireCondition(isObject, `${name} must be an object`)
  return value as Fields
}

function readArray(name: string, value: unknown, maxItems: number): readonly unknown[] {
  requireCondition(
    Array.isArray(value) && value.length <= maxItems,
    `${name} must be an array of at most ${maxItems} items`,
  )
  return value
}

// The evidence's texts are printed next to proven facts, so these patterns allow no misleading sentences.
const TRANSACTION_HASH = /^(?:0x)?[0-9a-f]{64}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const REASON = /^[a-z_]{1,32}$/
const OPERATOR = /^(?:[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,5}|operator \d{1,3}|a single trusted node)$/

function readPattern(name: string, value: unknown, pattern: RegExp): string {
  requireCondition(typeof value === 'string' && pattern.test(value), `${name} must match ${pattern.source}`)
  return value
}

function readWord<Word extends string>(name: string, value: unknown, words: readonly Word[]): Word {
  requireCondition(words.includes(value as Word), `${name} must be one of ${words.join(', ')}`)
  return value as Word
}

/** Reads an address, and checks only its length and characters. `readSpelled` parses it later. */
function readName(name: string, value: unknown): string {
  const isName = typeof value === 'string' && value.length <= MAX_NAME_LENGTH && /^[ -~]+$/.test(value)
  requireCondition(isName, `${name} must be a text of 1 to ${MAX_NAME_LENGTH} printable ASCII characters`)
  return value
}

function readDigits(name: string, value: unknown): string {
  requireCondition(
    typeof value === 'string' && /^(0|[1-9]\d{0,77})$/.test(value),
    `${name} must be a string with an integer of at most 78 digits`,
  )
  return value
}

function readInteger(name: string, value: unknown, max: number): number {
  const isInteger = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max
  requireCondition(isInteger, `${name} must be an integer from 0 to ${max}`)
  return value
}

/** Rejects uppercase, so that the same bytes always have the same text. */
function readHex(name: string, value: unknown): Hex {
  const isHex = typeof value === 'string' && value.length <= MAX_HEX_LENGTH && isWholeBytes(value)
  requireCondition(isHex, `${name} must be 0x and whole bytes in lowercase hex`)
  return value as Hex
}

function isWholeBytes(text: string): boolean {
  return text.length % 2 === 0 && /^0x[0-9a-f]*$/.test(text)
}
