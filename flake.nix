{
  description = "askpane puts an agent's question in front of its person";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      version = (builtins.fromJSON (builtins.readFile ./server.json)).version;
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.buildGoModule {
          pname = "askpane";
          inherit version;
          src = self;
          # Of go mod vendor; a change of go.mod or of what is imported changes it:
          # go mod vendor && nix-hash --type sha256 --sri vendor
          vendorHash = "sha256-uGDshtU5tZfUFLP5XwLsq/s9AndrNgzeJwiKqUiac3c=";
          subPackages = [ "cmd/askpane" "cmd/askpane-popup" "cmd/askpane-preview" "cmd/askpane-mcp" "cmd/askpane-desk" "cmd/askpane-hub" ];
          tags = [ "urfave_cli_no_docs" "netgo" "osusergo" "nethttpomithttp2" ];
          env.CGO_ENABLED = 0;
          ldflags = [ "-s" "-w" "-X github.com/askpane/askpane/cmd/internal/programs.released=v${version}" ];
          doCheck = false; # the tests want tmux and a terminal
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/askpane man man
            installManPage man/*.1
            for shell in bash zsh fish; do
              $out/bin/askpane completion $shell > askpane.$shell
            done
            installShellCompletion --cmd askpane --bash askpane.bash --zsh askpane.zsh --fish askpane.fish
          '';
          meta = {
            homepage = "https://github.com/askpane/askpane";
            license = pkgs.lib.licenses.mit;
            mainProgram = "askpane";
          };
        };
      });
      devShells = each (pkgs: { default = pkgs.mkShell { packages = [ pkgs.go pkgs.tmux pkgs.just pkgs.nodejs ]; }; });
    };
}
