import { keccak256, toRlp } from 'viem'
import type { Hex } from '../address.ts'
import { encodeNumber } from './encode-receipt.ts'

/** A block in a node's response. */
export type RpcHeader = Readonly<Record<string, unknown>>

type Field = readonly [name: string, isNumber?: 'number']

const REQUIRED: readonly Field[] = [
  ...([
    ['parentHash'],
    ['sha3Uncles'],
    ['miner'],
    ['stateRoot'],
    ['transactionsRoot'],
    ['receiptsRoot'],
  ] as const),
  ...([['logsBloom'], ['difficulty', 'number'], ['number', 'number'], ['gasLimit', 'number']] as const),
  ...([['gasUsed', 'number'], ['timestamp', 'number'], ['extraData'], ['mixHash'], ['nonce']] as const),
]

/**
 * The fields that later upgrades appended, in order. Avalanche's headers also commit to data outside of the EVM.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7685 for the last field of Ethereum
 * @see https://github.com/ava-labs/coreth, `plugin/evm/customtypes/header_ext.go`
 */
const OPTIONAL: Readonly<Record<'plain' | 'withExternalData', readonly Field[]>> = {
  plain: [
    ...([['baseFeePerGas', 'number'], ['withdrawalsRoot'], ['blobGasUsed', 'number']] as const),
    ...([['excessBlobGas', 'number'], ['parentBeaconBlockRoot'], ['requestsHash']] as const),
  ],
  withExternalData: [
    ...([['extDataHash'], ['baseFeePerGas', 'number'], ['extDataGasUsed', 'number']] as const),
    ...([
      ['blockGasCost', 'number'],
      ['blobGasUsed', 'number'],
      ['excessBlobGas', 'number'],
    ] as const),
    ...([
      ['parentBeaconBlockRoot'],
      ['timestampMilliseconds', 'number'],
      ['minDelayExcess', 'number'],
    ] as const),
  ],
}

/**
 * Encodes a block's header.
 *
 * @returns the RLP bytes, whose keccak256 is `hash`; `null` if they do not have this hash, because a field is missing
 * or the chain has other fields
 */
export function encodeHeader(block: RpcHeader, hash: Hex): Hex | null {
  const optional = OPTIONAL['extDataHash' in block ? 'withExternalData' : 'plain']
  const last = optional.findLastIndex(([name]) => isHex(block[name]))
  const fields = [...REQUIRED, ...optional.slice(0, last + 1)]
  if (!REQUIRED.every(([name]) => isHex(block[name]))) return null
  const header = toRlp(fields.map((field) => encodeField(block, field)))
  return keccak256(header) === hash ? header : null
}

/** A missing field before a present one is encoded as no bytes. */
function encodeField(block: RpcHeader, [name, isNumber]: Field): Hex {
  const value = block[name]
  if (!isHex(value)) return '0x'
  return isNumber === undefined ? value : encodeNumber(value)
}

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]+$|^0x$/i.test(value)
}
