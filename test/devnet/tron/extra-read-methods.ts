import { readFile } from 'node:fs/promises'
import { bytesToHex, isAddressEqual } from 'viem'

import { evmAddress } from '../evm-node/run-transaction.ts'
import { TRON_USDT } from './addresses.ts'
import { FREE_BYTES, runContract, SUN_PER_BYTE, SUN_PER_ENERGY } from './run-tron.ts'
import {
  bare,
  MAX_ENERGY,
  presentBlock,
  presentInfo,
  readAddress,
  readTrigger,
  type WalletMethod,
  withPrefix,
} from './wallet.ts'

/** Methods that the service does not use, but wallets and other clients do. */
export const EXTRA_READ_METHODS: Readonly<Record<string, WalletMethod>> = {
  getblockbyid: ({ chain, seen, body }) => {
    const block = chain.blockOf(`0x${String(body['value'])}`)
    return block === undefined || block.number > seen.number ? {} : presentBlock(block)
  },
  gettransactioninfobyblocknum: ({ chain, seen, body }) => {
    const block = chain.blocks()[Number(body['num'])]
    if (block === undefined || block.number > seen.number) return []
    return block.transactions.map((transaction, index) => presentInfo({ block, index, transaction }))
  },
  estimateenergy: async ({ chain, seen, body }) => {
    const evm = await chain.state.evmAt(seen.stateRoot)
    const run = await runContract(readTrigger(body), { evm, block: seen, energyLimit: MAX_ENERGY })
    return run.result === 'SUCCESS'
      ? { result: { result: true }, energy_required: Number(run.energyUsed) }
      : { result: { code: 'CONTRACT_EXE_ERROR', message: bare(run.returned) } }
  },
  getaccountnet: ({ chain, body }) => bandwidthOf(chain.usedBytesOf(readAddress(body['address']))),
  // No account has staked TRX, unless a test sets `stakedEnergy`.
  getaccountresource: ({ chain, body }) => ({
    ...bandwidthOf(chain.usedBytesOf(readAddress(body['address']))),
    ...{ TotalEnergyLimit: 180_000_000_000, TotalEnergyWeight: 19_000_000_000 },
    ...(chain.habits.stakedEnergy > 0 && { EnergyLimit: chain.habits.stakedEnergy }),
  }),
  getcontract: async ({ chain, seen, body }) => {
    const address = readAddress(body['value'])
    const { stateManager } = await chain.state.evmAt(seen.stateRoot)
    const code = await stateManager.getCode(evmAddress(address))
    if (code.length === 0) return {}
    return {
      ...{ contract_address: withPrefix(address), bytecode: bare(bytesToHex(code)) },
      // This node has only the ABI of USDT.
      abi: isAddressEqual(address, TRON_USDT) ? { entrys: await usdtEntries() } : {},
    }
  },
  getenergyprices: () => ({ prices: `0:${SUN_PER_ENERGY}` }),
  getbandwidthprices: () => ({ prices: `0:${SUN_PER_BYTE}` }),
  getnodeinfo: ({ chain }) => {
    const [head, solid] = [chain.head(), chain.solid()]
    return {
      block: `Num:${head.number},ID:${bare(head.hash)}`,
      solidityBlock: `Num:${solid.number},ID:${bare(solid.hash)}`,
      configNodeInfo: { codeVersion: '4.8.1' },
    }
  },
}

/** Omits the used bytes if they are zero, as protobuf does. */
function bandwidthOf(usedBytes: bigint): object {
  return {
    ...(usedBytes > 0n && { freeNetUsed: Number(usedBytes) }),
    ...{ freeNetLimit: Number(FREE_BYTES), TotalNetLimit: 43_200_000_000, TotalNetWeight: 26_000_000_000 },
  }
}

type Entry = { readonly type: string; readonly stateMutability?: string }

/** Returns the ABI of USDT in the nodes' format, in which `type` and `stateMutability` start with a capital letter. */
async function usdtEntries(): Promise<readonly object[]> {
  const artifact = new URL('../../../contracts/artifacts/TestTronUSDT.json', import.meta.url)
  const { abi } = JSON.parse(await readFile(artifact, 'utf8')) as { abi: readonly Entry[] }
  return abi.map(({ type, stateMutability, ...entry }) => ({
    ...entry,
    type: capital(type),
    ...(stateMutability !== undefined && { stateMutability: capital(stateMutability) }),
  }))
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
