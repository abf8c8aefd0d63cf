import type { ChainFamilyName } from '../../../shared/domain/address.ts'
import { createEvmSender } from './evm-sender.ts'
import type { CreateSender } from './sender.ts'
import { createTronSender } from './tron-sender.ts'

/** Senders by chain family. */
export const SENDERS_BY_FAMILY: Readonly<Record<ChainFamilyName, CreateSender>> = {
  evm: createEvmSender,
  tron: createTronSender,
}
