import { randomBytes } from 'node:crypto'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  multicall3Abi,
  parseAbi,
  type TransactionReceipt,
  toHex,
} from 'viem'
import { arc, arcTestnet } from 'viem/chains'
import type { Address as OurAddress } from '../../../shared/domain/address.ts'
import { authorizationCall, authorizationHash } from '../../../shared/domain/eip3009/authorization.ts'
import { type DevnetAccount, toSigner } from '../accounts.ts'
import type { Anvil } from '../anvil.ts'
import { requireMined } from '../require-mined.ts'
import { ARC_USDC } from './addresses.ts'

/** Functions of the devnet's token at 0x3600…0000. Unlike on the real chain, anyone may mint and blacklist. */
export const arcUsdcAbi = parseAbi([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function mint(address to, uint256 amount)',
  'function blacklist(address account)',
  'function unBlacklist(address account)',
  'function isBlacklisted(address account) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function decimals() view returns (uint8)',
])

/** The EIP-712 domain with which payers sign for the token. */
const DOMAIN = { name: 'USDC', version: '2' }

const aggregate3Value = parseAbi([
  'struct Call3Value { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call3Value[] calls) payable returns ((bool success, bytes returnData)[])',
])

/**
 * Sends money on Arc in several ways, and acts as the token's issuer. Each method resolves when its transaction is
 * mined, and throws if the transaction reverted.
 */
export type ArcWallet = ReturnType<typeof createArcWallet>

/** Creates the wallet of a devnet account. It uses viem's own definition of Arc, as a payer's wallet might. */
export function createArcWallet(
  { chainId, rpcUrl }: Pick<Anvil, 'chainId' | 'rpcUrl'>,
  account: DevnetAccount,
) {
  const chain = { ...(chainId === arc.id ? arc : arcTestnet), rpcUrls: { default: { http: [rpcUrl] } } }
  const transport = http(rpcUrl)
  const client = createPublicClient({ chain, transport, pollingInterval: 50, cacheTime: 0 })
  const wallet = createWalletClient({ account: toSigner(account), chain, transport })
  const mined = async (hash: Promise<Hex>) => requireMined(client, await hash)
  const write = (functionName: 'transfer' | 'mint', to: Address, units: bigint) =>
    mined(wallet.writeContract({ address: ARC_USDC, abi: arcUsdcAbi, functionName, args: [to, units] }))
  return {
    client,
    wallet,
    /** Sends a native transfer, as Arc's wallets do. `wei` are 10⁻¹⁸ dollars. */
    sendNative: (to: Address, wei: bigint) => mined(wallet.sendTransaction({ to, value: wei })),
    /** Sends an ERC-20 transfer. `units` are 10⁻⁶ dollars. */
    sendToken: (to: Address, units: bigint) => write('transfer', to, units),
    mint: (to: Address, units: bigint) => write('mint', to, units),
    /** Signs an EIP-3009 authorization as the payer, and executes it from this account. `units` are 10⁻⁶ dollars. */
    sendSigned: async (payer: DevnetAccount, to: Address, units: bigint) => {
      const { timestamp } = await client.getBlock()
      const authorization = {
        ...{ from: ours(payer.address), to: ours(to), value: units, nonce: toHex(randomBytes(32)) },
        ...{ validAfter: 0n, validBefore: timestamp + 600n },
      }
      const token = ours(ARC_USDC)
      const hash = authorizationHash({ chainId, token, domain: DOMAIN, authorization })
      const signature = await toSigner(payer).sign({ hash })
      return mined(wallet.sendTransaction(authorizationCall(token, { ...authorization, signature })))
    },
    /** Sends a native transfer through a contract that forwards it. */
    sendThroughContract: (to: Address, wei: bigint) =>
      mined(wallet.sendTransaction({ to: MULTICALL3, value: wei, data: passOn(to, wei) })),
    /** Sends a transaction that succeeds, but in which the call frame with the native transfer reverts. */
    sendInRevertedFrame: (to: Address, wei: bigint) =>
      mined(
        wallet.sendTransaction({ to: MULTICALL3, value: wei, data: passOnInVain(to, wei), gas: 1_000_000n }),
      ),
    setBlacklisted: (who: Address, isListed: boolean): Promise<TransactionReceipt> =>
      mined(
        wallet.writeContract({
          address: ARC_USDC,
          abi: arcUsdcAbi,
          functionName: isListed ? 'blacklist' : 'unBlacklist',
          args: [who],
        }),
      ),
  }
}

const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

function ours(address: Address): OurAddress {
  return address.toLowerCase() as OurAddress
}

function passOn(to: Address, value: bigint): Hex {
  return aggregate([{ target: to, allowFailure: false, value, callData: '0x' }])
}

/** Encodes a call whose inner frame pays `to`, and then reverts because it calls a function that USDC lacks. */
function passOnInVain(to: Address, value: bigint): Hex {
  const failing = encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [[{ target: ARC_USDC, allowFailure: false, callData: '0xdeadbeef' }]],
  })
  const inner = aggregate([
    { target: to, allowFailure: false, value, callData: '0x' },
    { target: MULTICALL3, allowFailure: false, value: 0n, callData: failing },
  ])
  return aggregate([{ target: MULTICALL3, allowFailure: true, value, callData: inner }])
}

function aggregate(
  calls: readonly { target: Address; allowFailure: boolean; value: bigint; callData: Hex }[],
): Hex {
  return encodeFunctionData({ abi: aggregate3Value, functionName: 'aggregate3Value', args: [calls] })
}
