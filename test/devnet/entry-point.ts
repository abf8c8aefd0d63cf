import type { Address } from 'viem'

/** Address of EntryPoint v0.7 of ERC-4337 on every EVM network. Source: eth-infinitism/account-abstraction. */
export const ENTRY_POINT: Address = '0x0000000071727De22E5E9d8BAf0edAc6f37da032'
