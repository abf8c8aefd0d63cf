import type { Address, Hex } from './address.ts'
import { encodeAbiWord } from './create2.ts'

/** Returns the calldata of an ERC-20 transfer, `transfer(address,uint256)`. */
export function encodeTransfer(transfer: {
  readonly destination: Address
  readonly amountAtomic: bigint
}): Hex {
  const { destination, amountAtomic } = transfer
  return `0xa9059cbb${encodeAbiWord(destination)}${amountAtomic.toString(16).padStart(64, '0')}`
}
