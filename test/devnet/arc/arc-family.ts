import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, EVMMockBlockchain, NobleBN254 } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { createAddressFromString } from '@ethereumjs/util'
import { bytesToHex, type Hex, hexToBytes, parseUnits } from 'viem'

import { ACCOUNTS } from '../accounts.ts'
import { ENTRY_POINT } from '../entry-point.ts'
import type { ChainRules, GenesisAccount } from '../evm-node/chain-rules.ts'
import { ARC_USDC, NATIVE_COIN_AUTHORITY, NATIVE_COIN_CONTROL } from './addresses.ts'
import { ArcEvm } from './arc-evm.ts'
import { nativeCoinAuthority, nativeCoinControl } from './native-coin.ts'

/** Chain ids of Arc's mainnet and testnet, which have the same rules. */
export type ArcChainId = 5042 | 5042002

const GWEI = 10n ** 9n

/** Initial native balance of each account of the devnet, in whole dollars. */
const DOLLARS = '1000000000'

/**
 * Code of both the deterministic deployment proxy and Safe's singleton factory.
 *
 * @see EIP-7955, which lists such factories
 */
const CREATE2_PROXY_CODE: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3'

/**
 * Returns the rules of Arc: USDC is the native coin, the EVM logs each of its movements (EIP-7708), and the token at
 * 0x3600…0000 shows the same balances.
 *
 * Source: circlefin/arc-node, docs.arc.io, read in November 2026.
 */
export async function arcFamily(chainId: ArcChainId): Promise<ChainRules> {
  const common = createCustomCommon({ chainId }, Mainnet, { hardfork: Hardfork.Osaka, eips: [7708] })
  return {
    name: 'arc',
    common,
    createEvm: (stateManager) =>
      new ArcEvm({
        ...{ common, stateManager, bn254: new NobleBN254(), blockchain: new EVMMockBlockchain() },
        customPrecompiles: [
          { address: createAddressFromString(NATIVE_COIN_AUTHORITY), function: nativeCoinAuthority },
          { address: createAddressFromString(NATIVE_COIN_CONTROL), function: nativeCoinControl },
        ],
      }),
    genesis: await genesisAccounts(),
    blockGasLimit: 30_000_000n,
    baseFeeWei: 20n * GWEI,
    maxLogsRange: 10_000,
    // The base fee of the next block, in 8 bytes.
    extraData: '0x00000004a817c800',
  }
}

async function genesisAccounts(): Promise<readonly GenesisAccount[]> {
  return [
    ...Object.values(ACCOUNTS).map(({ address }) => ({ address, balanceWei: parseUnits(DOLLARS, 18) })),
    { address: ARC_USDC, code: await codeOf('TestArcUSDC') },
    // Like reth, gives precompiles one byte of code, because Solidity reverts calls to addresses without code.
    { address: NATIVE_COIN_AUTHORITY, code: '0x01' },
    { address: NATIVE_COIN_CONTROL, code: '0x01' },
    { address: '0x4e59b44847b379578588920cA78FbF26c0B4956C', code: CREATE2_PROXY_CODE },
    { address: '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7', code: CREATE2_PROXY_CODE },
    { address: '0xcA11bde05977b3631167028862bE2a173976CA11', code: await multicall3Code() },
    { address: ENTRY_POINT, code: await codeOf('TestEntryPoint') },
  ]
}

async function codeOf(contract: 'TestArcUSDC' | 'TestEntryPoint'): Promise<Hex> {
  const artifact = new URL(`../../../contracts/artifacts/${contract}.json`, import.meta.url)
  const { deployedBytecode } = JSON.parse(await readFile(artifact, 'utf8')) as { deployedBytecode: Hex }
  return deployedBytecode
}

/** Returns the runtime code of Multicall3, by running its init code. viem has only the init code. */
async function multicall3Code(): Promise<Hex> {
  const require = createRequire(import.meta.url)
  const path = require.resolve('viem').replace(/_cjs\/index\.js$/, '_esm/constants/contracts.js')
  const { multicall3Bytecode } = (await import(pathToFileURL(path).href)) as { multicall3Bytecode: Hex }
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Osaka })
  const evm = await createEVM({ common, stateManager: new SimpleStateManager() })
  const { execResult } = await evm.runCall({ data: hexToBytes(multicall3Bytecode) })
  return bytesToHex(execResult.returnValue)
}
