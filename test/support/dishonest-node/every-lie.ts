import { encodeAbiParameters, encodeEventTopics, erc20Abi } from 'viem'
import type { Lie } from './lie.ts'

const [TRANSFER] = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer' })
const ONE_UNIT = encodeAbiParameters([{ type: 'uint256' }], [1n])
const HOUR_SECONDS = 3_600

/**
 * Reports every transfer with an amount of one atomic unit, every block with a transfer one hour later, and every
 * simulated call to our factory as reverted.
 */
export const LIE_ABOUT_EVERYTHING: Lie = {
  showLog: (log) => [log.topics[0] === TRANSFER ? { ...log, data: ONE_UNIT } : log],
  shiftTime: (logs) => (logs.some(({ topics }) => topics[0] === TRANSFER) ? HOUR_SECONDS : 0),
  revertsCalls: true,
}
