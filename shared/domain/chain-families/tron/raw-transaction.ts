import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Address, Hex } from '../../address.ts'
import { invariant } from '../../errors.ts'
import { TRON_PREFIX } from './address.ts'
import { type Field, readMessage, writeMessage } from './protobuf.ts'

/** The block that a transaction references. The transaction is invalid on a branch without this block. */
export type ReferenceBlock = {
  readonly number: number
  /** Id of the block, 32 bytes. The first eight bytes are the block's number. */
  readonly id: Hex
}

/** The fields that every transaction has, regardless of its action. */
export type TronHeader = {
  readonly owner: Address
  /** The last two bytes of the referenced block's number, and eight bytes of its id. */
  readonly refBlockBytes: Hex
  readonly refBlockHash: Hex
  /** Unix milliseconds. The transaction is invalid if the parent of its block has this time or a later one. */
  readonly expirationMs: bigint
  readonly timestampMs: bigint
  /** Maximum cost of the transaction's energy, in sun. */
  readonly feeLimitSun: bigint
}

export type TronCall = TronHeader & {
  readonly to: Address
  readonly data: Hex
  /** TRX that is sent with the call, in sun. */
  readonly valueSun: bigint
}

/** The creation of a contract whose callers pay all of the energy. */
export type TronDeployCall = TronHeader & { readonly name: string; readonly code: Hex }

/**
 * Encodes `raw_data` of a transaction that calls a contract. The signature covers the hash of these bytes.
 *
 * @see https://github.com/tronprotocol/protocol, core/Tron.proto and core/contract/smart_contract.proto
 */
export function encodeTronCall(call: TronCall): Hex {
  const [owner, to] = [withPrefix(call.owner), withPrefix(call.to)]
  const trigger = writeMessage({ 1: owner, 2: to, 3: call.valueSun, 4: call.data })
  return frame(call, { type: TRIGGER_SMART_CONTRACT, url: TRIGGER_URL, message: trigger })
}

/** Encodes `raw_data` of a transaction that creates a contract. */
export function encodeTronCreation(creation: TronDeployCall): Hex {
  const owner = withPrefix(creation.owner)
  const made = writeMessage({
    1: owner,
    4: creation.code,
    6: ALL_PERCENT,
    7: `0x${bytesToHex(utf8ToBytes(creation.name))}`,
    8: ORIGIN_ENERGY,
  })
  const message = writeMessage({ 1: owner, 2: made })
  return frame(creation, { type: CREATE_SMART_CONTRACT, url: CREATE_URL, message })
}

/**
 * `consume_user_resource_percent`: the caller's share of the energy. At 100 %, the creator's limit (`ORIGIN_ENERGY`) is
 * never used, but it must be above 0.
 */
const ALL_PERCENT = 100n
const ORIGIN_ENERGY = 10_000_000n

type Contract = { readonly type: bigint; readonly url: Hex; readonly message: Hex }

function frame(of: TronHeader, { type, url, message }: Contract): Hex {
  const any = writeMessage({ 1: url, 2: message })
  const contract = writeMessage({ 1: type, 2: any })
  return writeMessage({
    1: of.refBlockBytes,
    4: of.refBlockHash,
    8: of.expirationMs,
    11: contract,
    14: of.timestampMs,
    18: of.feeLimitSun,
  })
}

/**
 * Decodes the result of `encodeTronCall`; returns `null` for other bytes.
 *
 * The decoded call must encode to the same bytes. Otherwise surplus bytes could remain that another decoder interprets
 * differently.
 */
export function decodeTronCall(rawData: Hex): TronCall | null {
  try {
    const call = readCall(rawData)
    return encodeTronCall(call) === rawData ? call : null
  } catch {
    return null
  }
}

function readCall(rawData: Hex): TronCall {
  const raw = readMessage(rawData)
  const trigger = readMessage(bytesAt(readMessage(bytesAt(readMessage(bytesAt(raw, 11)), 2)), 2))
  return {
    owner: withoutPrefix(bytesAt(trigger, 1)),
    to: withoutPrefix(bytesAt(trigger, 2)),
    valueSun: numberAt(trigger, 3),
    data: bytesAt(trigger, 4),
    refBlockBytes: bytesAt(raw, 1),
    refBlockHash: bytesAt(raw, 4),
    expirationMs: numberAt(raw, 8),
    timestampMs: numberAt(raw, 14),
    feeLimitSun: numberAt(raw, 18),
  }
}

/** Returns the fields of a transaction that reference a block (TRON's "TaPoS"). */
export function toReferenceBlock({
  number,
  id,
}: ReferenceBlock): Pick<TronCall, 'refBlockBytes' | 'refBlockHash'> {
  const low = (number % 0x10000).toString(16).padStart(4, '0')
  return { refBlockBytes: `0x${low}`, refBlockHash: `0x${id.slice(2 + 16, 2 + 32)}` }
}

/** Returns the id of a transaction: the SHA-256 of its raw data, which is also the signed hash. */
export function tronTransactionId(rawData: Hex): Hex {
  return `0x${bytesToHex(sha256(hexToBytes(rawData.slice(2))))}`
}

/**
 * Encodes a signed transaction for broadcasting.
 *
 * @param signed.signature - 65 bytes: r, s and 27 or 28
 */
export function encodeSignedTransaction(signed: { readonly rawData: Hex; readonly signature: Hex }): Hex {
  return writeMessage({ 1: signed.rawData, 2: signed.signature })
}

/** Decodes the call of a transaction that `encodeSignedTransaction` encoded; returns `null` for other bytes. */
export function decodeSignedCall(signed: Hex): TronCall | null {
  try {
    return decodeTronCall(bytesAt(readMessage(signed), 1))
  } catch {
    return null
  }
}

/** `Transaction.Contract.ContractType`. */
const CREATE_SMART_CONTRACT = 30n
const TRIGGER_SMART_CONTRACT = 31n
const CREATE_URL = toTypeUrl('CreateSmartContract')
const TRIGGER_URL = toTypeUrl('TriggerSmartContract')

function toTypeUrl(message: string): Hex {
  return `0x${bytesToHex(utf8ToBytes(`type.googleapis.com/protocol.${message}`))}`
}

function withPrefix(address: Address): Hex {
  return `0x${TRON_PREFIX.toString(16)}${address.slice(2)}`
}

function withoutPrefix(bytes: Hex): Address {
  invariant(/^0x41[0-9a-f]{40}$/.test(bytes), `${bytes.slice(0, 50)} is not a TRON address`)
  return `0x${bytes.slice(4)}` as Address
}

function bytesAt(fields: readonly Field[], wanted: number): Hex {
  const value = valueAt(fields, wanted) ?? '0x'
  invariant(typeof value !== 'bigint', `field ${wanted} is a number`)
  return value
}

function numberAt(fields: readonly Field[], wanted: number): bigint {
  const value = valueAt(fields, wanted) ?? 0n
  invariant(typeof value === 'bigint', `field ${wanted} is not a number`)
  return value
}

function valueAt(fields: readonly Field[], wanted: number): Field[1] | undefined {
  return fields.find(([number]) => number === wanted)?.[1]
}
