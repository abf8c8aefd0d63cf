// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

import { TestPermit2 } from "./TestPermit2.sol";

interface IMintable {
    function mint(address to, uint256 amount) external;
}

/// @notice Replaces 0x's Settler. As with Settler, the recipient receives exactly `minAmountOut` in one plain transfer,
/// and the payer's surplus is returned in the same transaction.
/// @dev For tests and the devnet. `execute` has the same parameters as Settler's function. The actions have our own
/// format, because this contract mints the bought tokens instead of trading. The encoded actions are followed by the
/// length of the payer's signature and the signature.
contract TestSettler {
    using SafeERC20 for IERC20;

    struct AllowedSlippage {
        address recipient;
        address buyToken;
        uint256 minAmountOut;
    }

    /// @param nonce nonce of the payer's permit; not used for the native coin
    /// @param deadline deadline of the payer's permit; also applies to the native coin
    struct Sale {
        address sellToken;
        uint256 maxSellAmount;
        uint256 netSellAmount;
        uint256 nonce;
        uint256 deadline;
    }

    struct Fee {
        address recipient;
        uint256 amount;
    }

    error Expired(uint256 deadline);
    error WrongValue(uint256 value, uint256 maxSellAmount);

    address private constant NATIVE_COIN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    TestPermit2 private constant PERMIT2 = TestPermit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);

    /// @param actions exactly two: a `Sale`, and the payer's fees in the bought token (`Fee[]`)
    function execute(AllowedSlippage calldata slippage, bytes[] calldata actions, bytes32)
        external
        payable
        returns (bool)
    {
        Sale memory sale = abi.decode(actions[0], (Sale));
        if (block.timestamp > sale.deadline) revert Expired(sale.deadline);
        _take(sale, _signatureBehind(actions[1]));
        Fee[] memory fees = abi.decode(actions[1], (Fee[]));
        for (uint256 i = 0; i < fees.length; i++) {
            _buy(slippage.buyToken, fees[i].recipient, fees[i].amount);
        }
        _buy(slippage.buyToken, slippage.recipient, slippage.minAmountOut);
        _refund(sale);
        return true;
    }

    function _take(Sale memory sale, bytes calldata signature) private {
        if (sale.sellToken == NATIVE_COIN) {
            if (msg.value != sale.maxSellAmount) revert WrongValue(msg.value, sale.maxSellAmount);
            return;
        }
        if (msg.value != 0) revert WrongValue(msg.value, 0);
        PERMIT2.permitTransferFrom(
            TestPermit2.PermitTransferFrom({
                permitted: TestPermit2.TokenPermissions(sale.sellToken, sale.maxSellAmount),
                nonce: sale.nonce,
                deadline: sale.deadline
            }),
            TestPermit2.SignatureTransferDetails(address(this), sale.maxSellAmount),
            msg.sender,
            signature
        );
    }

    function _buy(address token, address to, uint256 amount) private {
        IMintable(token).mint(address(this), amount);
        IERC20(token).safeTransfer(to, amount);
    }

    function _refund(Sale memory sale) private {
        uint256 surplus = sale.maxSellAmount - sale.netSellAmount;
        if (surplus == 0) return;
        if (sale.sellToken != NATIVE_COIN) return IERC20(sale.sellToken).safeTransfer(msg.sender, surplus);
        (bool isPaid,) = msg.sender.call{ value: surplus }("");
        require(isPaid, "surplus refused");
    }

    /// @dev Returns the signature that the payer's client appends to the encoded call, after the last action. Empty if
    /// the client appends none.
    function _signatureBehind(bytes calldata action) private pure returns (bytes calldata signature) {
        assembly {
            let end := add(action.offset, and(add(action.length, 31), not(31)))
            signature.offset := add(end, 32)
            signature.length := mul(calldataload(end), gt(calldatasize(), end))
        }
    }
}
