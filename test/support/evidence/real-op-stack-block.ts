import { buildBloom } from '../../devnet/evm-node/bloom.ts'
import { type RealLog, realReceipt, toLogs, word } from './real-log.ts'

/** Logs of four transactions, each with the number of a flashblock: `FlashblockIncremented(uint256)`. */
const NUMBERED = ['29ac5c', '29ac5d', '29ac5e', '29ac5f'].map(
  (digits): RealLog => [
    '0xf878f0340bf132c28f3211e8b46c569edf817495',
    [word('faddd0b06e793a583e92393ad3f98637e560462ee98db1f2888f141124ee64ca')],
    word(digits).slice(2),
  ],
)

/**
 * Block 35,535,698 of Unichain Sepolia, an OP stack chain after the upgrades Canyon and Isthmus: a deposit and five
 * transactions of type 2. Source: the flashblock conversion tests of paradigmxyz/reth, whose source is
 * unichain-sepolia.blockscout.com.
 */
export const OP_STACK_BLOCK = {
  hash: '0xc463a3120c35268f610d969f5608b479332ef10953af77c7a6be806195831196',
  header: {
    ...{ baseFeePerGas: '0x33', blobGasUsed: '0x0', excessBlobGas: '0x0', difficulty: '0x0' },
    ...{ extraData: '0x00000000320000000c', gasLimit: '0x3938700', gasUsed: '0x32138' },
    ...{ number: '0x21e3b52', timestamp: '0x690be89e', nonce: '0x0000000000000000' },
    logsBloom: buildBloom(toLogs(NUMBERED)),
    miner: '0x4200000000000000000000000000000000000011',
    mixHash: '0x8beee738d20a9d77c5f27e9cb799ebe5b536f0985efad5f7d77ebff47f092c4a',
    parentBeaconBlockRoot: '0xf6d335a6b2b4fd8fb539cd51a49769df4d53c31a90c54dd270e54542638ff101',
    parentHash: '0x06ff95a9cd23b0328da74a984aa986b2e01d377dab1825f1029e39ece6c4a3ea',
    receiptsRoot: '0x588e1d47b0618d7e935b20c3945cba3b7b8c00141904f79ceed20312ea502e63',
    requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    stateRoot: '0x5615e4342d231c352438f0ba6a8f0f641459f67961961764b781a909969b28ad',
    transactionsRoot: '0x3dc5956bbd482687508f25d0e057282192067bb0eb80b2ac869320ef7f45cdeb',
    withdrawalsRoot: '0x62ed62e0391b081bf172f287fbbe75e87d8a6c22f1d3b1f1aef4788c134633d2',
  },
  receipts: [
    {
      ...realReceipt(0xb41c, { type: '0x7e' }),
      ...({ depositNonce: '0x21e3b52', depositReceiptVersion: '0x1' } as const),
    },
    realReceipt(0x10994, {}),
    ...NUMBERED.map((log, index) => realReceipt(0x10994 + (index + 1) * 0x85e9, { logs: [log] })),
  ],
} as const
