import { type Hex, sha256, size, slice, stringToHex } from 'viem'

import { type Field, readFields, writeFields } from './protobuf.ts'

/** The action of a transaction. Addresses have 20 bytes, without TRON's prefix 0x41. */
export type TronContract =
  | { readonly type: 'TransferContract'; readonly owner: Hex; readonly to: Hex; readonly amountSun: bigint }
  | {
      readonly type: 'TriggerSmartContract'
      readonly owner: Hex
      readonly to: Hex
      readonly data: Hex
      readonly callValueSun: bigint
    }
  | {
      readonly type: 'CreateSmartContract'
      readonly owner: Hex
      readonly code: Hex
      readonly callValueSun: bigint
    }

/** An unsigned transaction. */
export type RawTransaction = {
  readonly contract: TronContract
  /** Last two bytes of the height of the reference block, which the chain must contain. */
  readonly refBlockBytes: Hex
  /** Eight bytes of the reference block's id. */
  readonly refBlockHash: Hex
  /** Unix milliseconds. */
  readonly expirationMs: bigint
  readonly timestampMs: bigint
  readonly feeLimitSun: bigint
}

/** The numbers of `Transaction.Contract.ContractType`. Source: tronprotocol/protocol, core/Tron.proto. */
const TYPES = { TransferContract: 1n, CreateSmartContract: 30n, TriggerSmartContract: 31n } as const

/** Returns the id of a transaction: the hash of its `raw_data`, which the owner signs. */
export function getTxId(rawData: Hex): Hex {
  return sha256(rawData)
}

/** Encodes a transaction as `raw_data`. */
export function encodeRawTransaction(raw: RawTransaction): Hex {
  const { contract } = raw
  const any = writeFields([
    { number: 1, value: stringToHex(`type.googleapis.com/protocol.${contract.type}`) },
    { number: 2, value: encodeContract(contract) },
  ])
  return writeFields([
    { number: 1, value: raw.refBlockBytes },
    { number: 4, value: raw.refBlockHash },
    { number: 8, value: raw.expirationMs },
    {
      number: 11,
      value: writeFields([
        { number: 1, value: TYPES[contract.type] },
        { number: 2, value: any },
      ]),
    },
    { number: 14, value: raw.timestampMs },
    { number: 18, value: raw.feeLimitSun },
  ])
}

/**
 * Parses `raw_data`.
 *
 * @throws {Error} if `rawData` is malformed, or its contract type is not supported
 */
export function decodeRawTransaction(rawData: Hex): RawTransaction {
  const fields = readFields(rawData)
  return {
    contract: decodeContract(bytesAt(fields, 11)),
    refBlockBytes: bytesAt(fields, 1),
    refBlockHash: bytesAt(fields, 4),
    expirationMs: numberAt(fields, 8),
    timestampMs: numberAt(fields, 14),
    feeLimitSun: numberAt(fields, 18),
  }
}

function encodeContract(contract: TronContract): Hex {
  const owner = { number: 1, value: withPrefix(contract.owner) }
  switch (contract.type) {
    case 'TransferContract':
      return writeFields([
        owner,
        { number: 2, value: withPrefix(contract.to) },
        { number: 3, value: contract.amountSun },
      ])
    case 'TriggerSmartContract':
      return writeFields([
        owner,
        { number: 2, value: withPrefix(contract.to) },
        { number: 3, value: contract.callValueSun },
        { number: 4, value: contract.data },
      ])
    case 'CreateSmartContract':
      return writeFields([
        owner,
        {
          number: 2,
          value: writeFields([
            { number: 1, value: withPrefix(contract.owner) },
            { number: 4, value: contract.code },
            { number: 5, value: contract.callValueSun },
          ]),
        },
      ])
  }
}

function decodeContract(message: Hex): TronContract {
  const fields = readFields(message)
  const type = numberAt(fields, 1)
  const value = readFields(bytesAt(readFields(bytesAt(fields, 2)), 2))
  const owner = withoutPrefix(bytesAt(value, 1))
  if (type === TYPES.TransferContract)
    return {
      ...{ type: 'TransferContract', owner, to: withoutPrefix(bytesAt(value, 2)) },
      amountSun: numberAt(value, 3),
    }
  if (type === TYPES.TriggerSmartContract)
    return {
      ...{ type: 'TriggerSmartContract', owner, to: withoutPrefix(bytesAt(value, 2)) },
      ...{ data: bytesAt(value, 4), callValueSun: numberAt(value, 3) },
    }
  if (type !== TYPES.CreateSmartContract) throw new Error(`contract type ${type} is not supported`)
  const created = readFields(bytesAt(value, 2))
  return {
    ...{ type: 'CreateSmartContract', owner },
    ...{ code: bytesAt(created, 4), callValueSun: numberAt(created, 5) },
  }
}

function bytesAt(fields: readonly Field[], wanted: number): Hex {
  const value = fields.find(({ number }) => number === wanted)?.value ?? '0x'
  if (typeof value === 'bigint') throw new Error(`field ${wanted} is a number`)
  return value
}

function numberAt(fields: readonly Field[], wanted: number): bigint {
  const value = fields.find(({ number }) => number === wanted)?.value ?? 0n
  if (typeof value !== 'bigint') throw new Error(`field ${wanted} is not a number`)
  return value
}

function withPrefix(address: Hex): Hex {
  return `0x41${address.slice(2)}`
}

function withoutPrefix(bytes: Hex): Hex {
  if (size(bytes) !== 21 || !bytes.startsWith('0x41')) throw new Error(`${bytes} is not a TRON address`)
  return slice(bytes, 1)
}
