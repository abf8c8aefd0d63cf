// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Authorizations } from "./Authorizations.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice Moves the native coin of a local Arc. Only the token at 0x3600…0000 may call this contract.
interface INativeCoinAuthority {
    function mint(address to, uint256 amountWei) external returns (bool);
    function burn(address from, uint256 amountWei) external returns (bool);
    function transfer(address from, address to, uint256 amountWei) external returns (bool);
}

/// @notice The blocklist of a local Arc. A listed account can neither send nor receive the coin or the token.
interface INativeCoinControl {
    function blocklist(address account) external returns (bool);
    function unBlocklist(address account) external returns (bool);
    function isBlocklisted(address account) external view returns (bool);
}

/// @notice USDC as on Arc: an account's balance is its native coin, with 6 instead of 18 decimals. The token
/// executes authorizations like FiatTokenV2_2. Any account may mint and blacklist.
/// @dev The first block of a local Arc contains this code at 0x3600…0000. It must therefore have no constructor and
/// no immutables. Source: circlefin/stablecoin-evm at commit 46e61d0, NativeFiatTokenV2_2, which also executes
/// authorizations with the authority's `transfer`.
contract TestArcUSDC is IERC20, Authorizations {
    INativeCoinAuthority private constant AUTHORITY =
        INativeCoinAuthority(0x1800000000000000000000000000000000000000);
    INativeCoinControl private constant CONTROL =
        INativeCoinControl(0x1800000000000000000000000000000000000001);
    uint256 private constant WEI_PER_UNIT = 1e12;

    string public constant name = "USDC";
    string public constant symbol = "USDC";
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    function balanceOf(address account) external view returns (uint256) {
        return account.balance / WEI_PER_UNIT;
    }

    function isBlacklisted(address account) external view returns (bool) {
        return CONTROL.isBlocklisted(account);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        return _move(from, to, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    /// @param amount in units of 6 decimals
    function mint(address to, uint256 amount) external {
        AUTHORITY.mint(to, amount * WEI_PER_UNIT);
        totalSupply += amount;
        emit Transfer(address(0), to, amount);
    }

    function blacklist(address account) external {
        CONTROL.blocklist(account);
    }

    function unBlacklist(address account) external {
        CONTROL.unBlocklist(account);
    }

    function _signingName() internal pure override returns (string memory) {
        return name;
    }

    function _carryOut(address from, address to, uint256 value) internal override {
        _move(from, to, value);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        AUTHORITY.transfer(from, to, amount * WEI_PER_UNIT);
        emit Transfer(from, to, amount);
        return true;
    }
}
