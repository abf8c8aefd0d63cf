import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  type Hex,
  numberToHex,
  pad,
} from 'viem'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import type { Lie } from './lie.ts'
import type { RpcLog } from './rpc-types.ts'

/** An account unrelated to any charge. Lies add forged logs to the real transactions that pay this account. */
export const STRANGER: Address = `0x${'5a'.repeat(20)}`

/** Index of the last forged log. Each forged log gets the next index, above the index of every real log of a block. */
let lastIndex = 5_000

const [TRANSFER] = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer' })

/** Adds a forged transfer of the same token to each transaction that pays the stranger. */
export function inventTransfer(transfer: {
  readonly from: Address
  readonly to: Address
  readonly valueAtomic: bigint
}): Lie {
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: transfer }) as readonly Hex[]
  const data = encodeAbiParameters([{ type: 'uint256' }], [transfer.valueAtomic])
  const invented = { topics, data, logIndex: nextIndex() }
  return { showLog: (log) => (isTransferTo(log, STRANGER) ? [log, { ...log, ...invented }] : [log]) }
}

/** Adds a forged distribution by a split to each transaction that pays the stranger. */
export function inventDistribution(distribution: {
  readonly split: Address
  readonly distributor: Address
  readonly amountAtomic: bigint
}): Lie {
  const { split: address, distributor, amountAtomic } = distribution
  const data = encodeAbiParameters([{ type: 'uint256' }], [amountAtomic])
  const invented = { address, data, logIndex: nextIndex() }
  return {
    showLog: (log) => {
      if (!isTransferTo(log, STRANGER)) return [log]
      const args = { token: log.address, distributor }
      const topics = encodeEventTopics({ abi: paymentSplitAbi, eventName: 'SplitDistributed', args })
      return [log, { ...log, ...invented, topics: topics as readonly Hex[] }]
    },
  }
}

/** Changes the amount of the transfers to an account. */
export function changeAmount(to: Address, valueAtomic: bigint): Lie {
  const data = encodeAbiParameters([{ type: 'uint256' }], [valueAtomic])
  return { showLog: (log) => [isTransferTo(log, to) ? { ...log, data } : log] }
}

/** Changes the sender of the transfers to an account. */
export function changeSender(to: Address, sender: Address): Lie {
  const change = ({ topics: [event, , ...rest], ...log }: RpcLog): RpcLog => ({
    ...log,
    topics: [event as Hex, pad(sender), ...rest],
  })
  return { showLog: (log) => [isTransferTo(log, to) ? change(log) : log] }
}

/** Hides the transfers to an account. */
export function hideTransfers(to: Address): Lie {
  return { showLog: (log) => (isTransferTo(log, to) ? [] : [log]) }
}

/** Adds seconds to the timestamp of each block that contains a transfer to an account. */
export function changeTime(to: Address, seconds: number): Lie {
  return { shiftTime: (logs) => (logs.some((log) => isTransferTo(log, to)) ? seconds : 0) }
}

/** Combines lies. Each lie changes the logs that the previous lie returned; `shiftTime` of each gets the real logs. */
export function combineLies(lies: readonly Lie[]): Lie {
  return {
    showLog: (log) =>
      lies.reduce<readonly RpcLog[]>((logs, lie) => logs.flatMap(lie.showLog ?? ((one) => [one])), [log]),
    shiftTime: (logs) => lies.reduce((sum, lie) => sum + (lie.shiftTime?.(logs) ?? 0), 0),
    revertsCalls: lies.some(({ revertsCalls }) => revertsCalls === true),
  }
}

function isTransferTo({ topics }: RpcLog, to: Address): boolean {
  return topics[0] === TRANSFER && topics[2]?.toLowerCase() === pad(to).toLowerCase()
}

function nextIndex(): Hex {
  lastIndex += 1
  return numberToHex(lastIndex)
}
