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

/** What wallets and clients ask besides what the service does; tronweb's names for it are longer. */
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
  // Nobody has staked anything, unless a test says so; what is zero is left out.
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
      // Of the others nobody has told a node.
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

/** What is zero is left out, as protobuf does. */
function bandwidthOf(usedBytes: bigint): object {
  return {
    ...(usedBytes > 0n && { freeNetUsed: Number(usedBytes) }),
    ...{ freeNetLimit: Number(FREE_BYTES), TotalNetLimit: 43_200_000_000, TotalNetWeight: 26_000_000_000 },
  }
}

type Entry = { readonly type: string; readonly stateMutability?: string }

/** A contract's interface as nodes keep it: protobuf's enumerations, whose names begin with a capital. */
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
