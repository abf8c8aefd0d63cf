import type { Address, Hex } from 'viem'

import type { SignedTransaction } from './block.ts'

/** A message to execute: a signed transaction, or a call without a signature. */
export type Message = {
  readonly from: Address
  readonly to: Address | null
  readonly valueWei: bigint
  readonly data: Hex
  readonly gasLimit: bigint
  readonly accessList?: SignedTransaction['accessList']
}
