//! Temporary driver.
use mcp_codegen::*;
fn main() {
    let manifest = manifest::Manifest::read(std::path::Path::new("schema/manifest.toml")).unwrap();
    let docs = docs::Docs::read(std::path::Path::new("schema/docs")).unwrap();
    let inputs: Vec<_> = manifest
        .inputs
        .iter()
        .map(|i| model::Input {
            name: i.name.clone(),
            module: i.module.clone(),
            feature: Some(i.feature.clone()),
            needs: i.needs.clone(),
            spec: i.spec.clone(),
            schema: source::read(&manifest.resolve(&i.file)).unwrap().value,
        })
        .collect();
    let model = match model::Model::build(&inputs, &manifest, &docs) {
        Ok(m) => m,
        Err(e) => {
            eprintln!("{e}");
            std::process::exit(1)
        }
    };
    for (path, text) in emit::emit(&model, &Default::default()) {
        let path = std::path::Path::new("generated").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}
