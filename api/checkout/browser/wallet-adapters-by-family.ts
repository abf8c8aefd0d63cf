import type { Family } from '../page-data.ts'
import { EVM } from './evm.ts'
import { TRON } from './tron.ts'
import type { WalletAdapter } from './wallet-adapter.ts'

/** How payments are sent through the wallets of each chain family. */
export const WALLET_ADAPTERS: Readonly<Record<Family, WalletAdapter>> = { evm: EVM, tron: TRON }
