// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../../src/PaymentSplit.sol";
import { PaymentSplitFactory } from "../../src/PaymentSplitFactory.sol";
import { Split } from "../../src/Split.sol";
import { Purse } from "../accounts/Purse.sol";
import { FalseReturningToken } from "../tokens/MisbehavingTokens.sol";
import { TestUSDC } from "../tokens/TestUSDC.sol";
import { TestUSDT } from "../tokens/TestUSDT.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { StdUtils } from "forge-std/StdUtils.sol";

/// @notice Random actions on one split, and a simple model of the expected results.
/// @dev One of the three tokens reverts for a blocked recipient, one returns nothing and blocks senders, and one
/// returns false for a rejected recipient. Recipients can also reject the native coin. A function reverts only if
/// the result differs from the model, and `fail_on_revert` makes the revert a failure.
contract SplitHandler is StdUtils {
    address private constant NATIVE_COIN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    uint256 private constant TOKENS = 4;

    PaymentSplitFactory private immutable _factory;
    bytes32 private immutable _salt;
    PaymentSplit public immutable split;
    address public immutable keeper;
    Split private _terms;

    TestUSDC private immutable _usdc = new TestUSDC(6);
    TestUSDT private immutable _usdt = new TestUSDT(18);
    FalseReturningToken private immutable _falseToken = new FalseReturningToken();

    /// @dev The model: the amounts received, the gross amounts distributed, and each account's shares, paid or held.
    mapping(address token => uint256) public paidIn;
    mapping(address token => uint256) public distributed;
    mapping(address token => mapping(address account => uint256)) public due;

    constructor(PaymentSplitFactory factory, Split memory terms_, bytes32 salt, address keeper_) {
        _factory = factory;
        _terms = terms_;
        _salt = salt;
        keeper = keeper_;
        split = PaymentSplit(factory.createSplitDeterministic(terms_, address(0), msg.sender, salt));
    }

    /// @dev Half of the payments are at most 2000 units, so that small shares and incentives are often rounded to zero.
    function pay(uint256 tokenSeed, uint256 amount, bool isDust) external {
        address token = tokenOf(tokenSeed);
        amount = _bound(amount, 0, isDust ? 2000 : 1e24);
        if (token == NATIVE_COIN) {
            // With 2300 gas, like `transfer`.
            require(payable(address(split)).send(amount), "refused native coin");
            paidIn[token] += amount;
            return;
        }
        try TestUSDC(token).mint(address(split), amount) {
            paidIn[token] += amount;
        } catch { } // USDC accepts no payment while it is paused or blocks the split
    }

    /// @dev Distributes with the keeper, no account or the split itself as distributor. The contract pays no
    /// incentive to the split.
    function distribute(uint256 tokenSeed, uint256 distributorSeed) external {
        address token = tokenOf(tokenSeed);
        address distributor = [keeper, address(0), address(split)][distributorSeed % 3];
        uint256 amount = split.distributable(token);
        bytes4 expected = expectedError({ token: token, distributor: distributor, amount: amount });
        try split.distribute(_terms, token, distributor) {
            require(expected == 0, "distributed although an error was expected");
            _book({ token: token, distributor: distributor, amount: amount });
        } catch (bytes memory reason) {
            require(bytes4(reason) == expected, "failed for another reason");
        }
    }

    function release(uint256 tokenSeed, uint256 recipientSeed) external {
        address token = tokenOf(tokenSeed);
        address recipient = recipientOf(recipientSeed);
        uint256 amount = split.held(token, recipient);
        uint256 before = balanceOf(token, recipient);
        try split.release(token, recipient) returns (uint256 released) {
            require(released == amount && canPay(token, recipient), "released what it should not");
            require(balanceOf(token, recipient) == before + amount, "released another amount");
        } catch (bytes memory reason) {
            bytes4 expected =
                amount == 0 ? PaymentSplit.NothingHeld.selector : PaymentSplit.ReleaseFailed.selector;
            require(bytes4(reason) == expected && (amount == 0 || !canPay(token, recipient)), "not released");
        }
    }

    function block_(uint256 tokenSeed, uint256 recipientSeed) external {
        _restrict(tokenOf(tokenSeed), recipientOf(recipientSeed), true);
    }

    function unblock(uint256 tokenSeed, uint256 recipientSeed) external {
        _restrict(tokenOf(tokenSeed), recipientOf(recipientSeed), false);
    }

    function blockKeeperOrSplit(uint256 tokenSeed, bool isKeeper, bool isRestricted) external {
        _restrict(tokenOf(tokenSeed), isKeeper ? keeper : address(split), isRestricted);
    }

    function pause(bool isUsdc, bool isPaused) external {
        TestUSDC token = TestUSDC(isUsdc ? address(_usdc) : address(_usdt));
        if (isPaused) token.pause();
        else token.unpause();
    }

    function createAgain() external {
        address again = _factory.createSplitDeterministic(_terms, address(0), msg.sender, _salt);
        require(again == address(split), "another address");
    }

    function distributeOtherTerms(uint256 tokenSeed, uint256 entry, address recipient) external {
        Split memory others = _terms;
        entry = entry % others.recipients.length;
        if (others.recipients[entry] == recipient) return;
        others.recipients[entry] = recipient;
        try split.distribute(others, tokenOf(tokenSeed), keeper) {
            revert("distributed other terms");
        } catch (bytes memory reason) {
            require(bytes4(reason) == PaymentSplit.SplitMismatch.selector, "failed for another reason");
        }
    }

    function terms() external view returns (Split memory) {
        return _terms;
    }

    function tokens() external view returns (address[] memory list) {
        list = new address[](TOKENS);
        for (uint256 i = 0; i < TOKENS; i++) {
            list[i] = tokenOf(i);
        }
    }

    function balanceOf(address token, address account) public view returns (uint256) {
        return token == NATIVE_COIN ? account.balance : IERC20(token).balanceOf(account);
    }

    function tokenOf(uint256 seed) private view returns (address) {
        return [address(_usdc), address(_usdt), address(_falseToken), NATIVE_COIN][seed % TOKENS];
    }

    function recipientOf(uint256 seed) private view returns (address) {
        return _terms.recipients[seed % _terms.recipients.length];
    }

    function _restrict(address token, address account, bool isRestricted) private {
        if (token == NATIVE_COIN) {
            if (account == address(split)) return; // the split cannot be kept from sending native coin
            Purse(payable(account)).behave(isRestricted ? Purse.Manner.Refuses : Purse.Manner.Takes);
        } else if (token == address(_falseToken)) {
            _falseToken.refuse(account, isRestricted);
        } else if (token == address(_usdc) && isRestricted) {
            _usdc.blacklist(account);
        } else if (token == address(_usdc)) {
            _usdc.unBlacklist(account);
        } else if (isRestricted) {
            _usdt.addBlackList(account);
        } else {
            _usdt.removeBlackList(account);
        }
    }

    function canPay(address token, address recipient) private view returns (bool) {
        if (token == NATIVE_COIN) return Purse(payable(recipient)).manner() == Purse.Manner.Takes;
        if (token == address(_falseToken)) return !_falseToken.isRefused(recipient);
        if (token == address(_usdt)) return !_usdt.paused() && !_usdt.isBlackListed(address(split));
        return !_usdc.paused() && !_usdc.isBlacklisted(address(split)) && !_usdc.isBlacklisted(recipient);
    }

    function expectedError(address token, address distributor, uint256 amount) private view returns (bytes4) {
        if (amount == 0) return PaymentSplit.NothingToDistribute.selector;
        uint256 incentive = incentiveOf(distributor, amount);
        if (incentive > 0 && !canPay(token, distributor)) {
            return PaymentSplit.IncentiveTransferFailed.selector;
        }
        bool isAnyonePaid = false;
        bool isAnyoneLeft = false;
        for (uint256 i = 0; i < _terms.recipients.length; i++) {
            if (i > 0 && shareOf(i, amount - incentive) == 0) continue;
            if (canPay(token, _terms.recipients[i])) isAnyonePaid = true;
            else isAnyoneLeft = true;
        }
        // Unpaid shares of a token are held. Native coin is paid to all recipients or none.
        if (token == NATIVE_COIN) return isAnyoneLeft ? PaymentSplit.NativePayoutFailed.selector : bytes4(0);
        return isAnyonePaid ? bytes4(0) : PaymentSplit.AllPayoutsFailed.selector;
    }

    function _book(address token, address distributor, uint256 amount) private {
        uint256 incentive = incentiveOf(distributor, amount);
        distributed[token] += amount;
        due[token][keeper] += incentive;
        uint256 rest = amount - incentive;
        for (uint256 i = 1; i < _terms.recipients.length; i++) {
            uint256 share = shareOf(i, amount - incentive);
            due[token][_terms.recipients[i]] += share;
            rest -= share;
        }
        due[token][_terms.recipients[0]] += rest;
    }

    function incentiveOf(address distributor, uint256 amount) private view returns (uint256) {
        return distributor == keeper ? amount * _terms.distributionIncentive / 1_000_000 : 0;
    }

    function shareOf(uint256 entry, uint256 pot) private view returns (uint256) {
        return pot * _terms.allocations[entry] / 1_000_000;
    }
}
